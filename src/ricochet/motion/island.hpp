// What an impact concerns: a body and every family of gaps on it, under one numbering.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/mechanics/slip_row.hpp"
#include "ricochet/motion/body.hpp"
#include "ricochet/motion/gaps.hpp"

namespace ricochet::motion {

/// Impulses, events and flights are about an island, and nothing outside it is looked at, copied or flown. Its gaps are
/// numbered family by family, the body's own first; the constraints of all families follow behind all gaps. Most
/// islands have one family, which is then asked without a translation of numbers.
template <class R>
class Island {
 public:
  using PointAt = typename Body<R>::PointAt;

  /// `own` are the gaps that the body brings itself, null where it brings none.
  Island(const Body<R>& body, const Gaps<R>* own, const std::vector<std::unique_ptr<Gaps<R>>>& others = {})
      : body_(body),
        own_(own != nullptr ? own->count() : 0),
        own_constraints_(own != nullptr ? own->constraints() : 0) {
    if (own != nullptr) add(*own);
    for (const auto& family : others) add(*family);
    if (families_.size() == 1) only_ = families_.front().gaps;
    unions_of_.resize(static_cast<std::size_t>(gaps_));
    for (int u = 0; u < unions(); ++u)
      for (const int i : branches(u)) unions_of_[static_cast<std::size_t>(i)].push_back(u);
    closable_.resize(static_cast<std::size_t>(gaps_));
    std::iota(closable_.begin(), closable_.end(), 0);
    all_ = closable_;
  }

  // ---- the body ----------------------------------------------------------------------------------------------------

  const Body<R>& body() const { return body_; }
  bool finite(const Node<R>& x) const { return body_.finite(x); }
  ErrorState state(const Node<R>& x) const { return body_.state(x); }
  R kinetic(const Node<R>& x) const { return body_.kinetic(x); }
  R hamiltonian(const Node<R>& x) const { return body_.hamiltonian(x); }
  void set_time(Node<R>& x, R t) const { body_.set_time(x, t); }
  bool stop(Node<R>& x) const { return body_.stop(x); }
  void kick(Node<R>& x, const Covector& normal, R lambda) const { body_.kick(x, normal, lambda); }
  void nudge(Node<R>& x, const Covector& normal, R a) const { body_.nudge(x, normal, a); }
  R couple(const Covector& a, const Covector& b) const { return body_.couple(a, b); }
  void add(Covector& normal, R a, const Covector& other) const { body_.add(normal, a, other); }
  bool quadratic() const { return body_.quadratic(); }
  int order() const { return body_.order(); }
  R lateness() const { return body_.lateness(); }
  void begin_trace(const Node<R>& from, discrete::Step<R> step, const Node<R>& end, Trace& trace) const {
    body_.begin_trace(from, step, end, trace);
  }
  void refine_trace(Trace& trace, const Node<R>& end, PointAt point) const { body_.refine_trace(trace, end, point); }

  // ---- its gaps, and behind them the constraints -------------------------------------------------------------------

  int gaps() const { return gaps_; }
  int constraints() const { return constraints_; }
  /// Whether a gap or a constraint is one that the body brings itself: closures know those along their curves.
  bool is_own(int row) const { return row < own_ || (row >= gaps_ && row < gaps_ + own_constraints_); }
  /// The number that a row of the body itself has there.
  int own_number(int row) const { return row < gaps_ ? row : row - gaps_ + own_; }
  bool has_others() const { return gaps_ > own_; }

  std::string gap_name(int i) const {
    if (i < 0) i = mechanics::gap_of_slip(i);
    return asked(i, [](const Gaps<R>& g, int k) { return g.name(k); });
  }
  /// Unions, the gaps that are branches of one, and the unions of a gap; none where it stands alone.
  bool has_unions() const { return !unions_.empty(); }
  int unions() const { return static_cast<int>(unions_.size()); }
  std::span<const int> branches(int u) const { return unions_[static_cast<std::size_t>(u)]; }
  std::span<const int> unions_of(int i) const {
    return has_unions() && i >= 0 && i < gaps_ ? std::span<const int>(unions_of_[static_cast<std::size_t>(i)])
                                               : std::span<const int>();
  }
  /// Whether other branches make a branch superfluous: every union of it has one that `open(k)` says of.
  template <class Open>
  bool covered(int i, Open&& open) const {
    const auto of = unions_of(i);
    return !of.empty() && std::ranges::all_of(of, [&](int u) {
      return std::ranges::any_of(branches(u), [&](int k) { return k != i && open(k); });
    });
  }
  R gap(int i, const Node<R>& x) const {
    return asked(i, [&](const Gaps<R>& g, int k) { return g.value(k, x); });
  }
  /// What must not become negative: of a branch, the largest of its union, and the least of these where it has several.
  R admissible(int i, const Node<R>& x) const {
    return of_unions<R>(
        i, unions(), [this](int u) { return branches(u); }, [&](int k) { return gap(k, x); });
  }
  Contact<R> contact(int i, const Node<R>& x, R h, Covector& normal) const {
    auto contact = asked(i, [&](const Gaps<R>& g, int k) { return g.at(k, x, h, normal); });
    contact.gap = i;
    return contact;
  }
  bool may_be_closed(int i, const Node<R>& x, R h) const {
    return asked(i, [&](const Gaps<R>& g, int k) { return g.may_be_closed(k, x, h); });
  }
  double friction(int i) const {
    return asked(i, [](const Gaps<R>& g, int k) { return g.friction(k); });
  }
  int slips(int i) const {
    return asked(i, [](const Gaps<R>& g, int k) { return g.slips(k); });
  }
  /// Gaps that may be closed at a node of the flight whose candidates were asked last; no other is. Ascending.
  const GapList& closable() const {
    if (only_ != nullptr) {
      const GapList* some = only_->closable();
      return some != nullptr ? *some : all_;
    }
    closable_.clear();
    for (const Family& family : families_) {
      const GapList* some = family.gaps->closable();
      for (int k = 0, n = some != nullptr ? static_cast<int>(some->size()) : family.gaps->count(); k < n; ++k)
        closable_.push_back(family.first_gap + (some != nullptr ? (*some)[static_cast<std::size_t>(k)] : k));
    }
    return closable_;
  }

  /// Gaps that may close along a trace.
  void candidates(Trace& trace, GapList& list) const {
    if (only_ != nullptr) {
      only_->candidates(trace, list);
    } else {
      list.clear();
      for (const Family& family : families_) {
        family.gaps->candidates(trace, of_family_);
        for (const int k : of_family_) list.push_back(family.first_gap + k);
      }
    }
    drop_open_unions(list);
  }
  /// A union stays open where one of its branches does: takes branches out of a list of gaps, ascending, where every
  /// union of theirs has one that is not in it.
  void drop_open_unions(GapList& list) const {
    if (!has_unions()) return;
    whole_ = list;
    std::erase_if(list, [&](int i) { return covered(i, [&](int k) { return !contains(whole_, k); }); });
  }
  /// Whether all branches of a union are in a list of gaps, ascending.
  bool lists_all(const GapList& list, int u) const {
    return std::ranges::all_of(branches(u), [&](int k) { return contains(list, k); });
  }
  numerics::Ball<R> gap_range(int i, const Trace& trace, R a, R b) const {
    return asked(i, [&](const Gaps<R>& g, int k) { return g.range(k, trace, a, b); });
  }
  Bound<R> gap_bound(int i, const Trace& trace, R a, R b) const {
    return asked(i, [&](const Gaps<R>& g, int k) { return g.bound(k, trace, a, b); });
  }
  R gap_in_middle(int i, const Trace& trace, R s) const {
    return asked(i, [&](const Gaps<R>& g, int k) { return g.in_middle(k, trace, s); });
  }

 private:
  static bool contains(const GapList& ascending, int i) {
    return std::binary_search(ascending.begin(), ascending.end(), i);
  }

  struct Family {
    const Gaps<R>* gaps;
    int first_gap, first_constraint;
  };

  void add(const Gaps<R>& family) {
    families_.push_back({&family, gaps_, constraints_});
    for (int u = 0; u < family.unions(); ++u) {
      unions_.emplace_back();
      for (const int k : family.branches(u)) unions_.back().push_back(gaps_ + k);
    }
    gaps_ += family.count();
    constraints_ += family.constraints();
  }
  /// Asks the family of a row under the number the row has there.
  template <class Ask>
  auto asked(int i, Ask&& ask) const {
    if (only_ != nullptr) return ask(*only_, i);
    if (i >= gaps_) {
      const Family& family = last_before(i - gaps_, &Family::first_constraint, &Gaps<R>::constraints);
      return ask(*family.gaps, i - gaps_ - family.first_constraint + family.gaps->count());
    }
    const Family& family = last_before(i < 0 ? mechanics::gap_of_slip(i) : i, &Family::first_gap, &Gaps<R>::count);
    return ask(*family.gaps,
               i < 0 ? i + mechanics::slip_row(0, 0) - mechanics::slip_row(family.first_gap, 0) : i - family.first_gap);
  }
  const Family& last_before(int n, int Family::*first, int (Gaps<R>::*size)() const) const {
    std::size_t f = 0;
    while (f + 1 < families_.size() && n >= families_[f].*first + (families_[f].gaps->*size)()) ++f;
    return families_[f];
  }

  const Body<R>& body_;
  std::vector<Family> families_;
  const Gaps<R>* only_ = nullptr;
  int own_ = 0, own_constraints_ = 0, gaps_ = 0, constraints_ = 0;
  GapList all_;
  std::vector<GapList> unions_;              ///< their branches
  std::vector<std::vector<int>> unions_of_;  ///< of each gap
  mutable GapList closable_, of_family_, whole_;
};

}  // namespace ricochet::motion
