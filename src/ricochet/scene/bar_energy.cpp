#include "ricochet/scene/bar_energy.hpp"

#include <atomic>
#include <memory>
#include <thread>

#include "ricochet/numerics/jet.hpp"

namespace ricochet::scene {
namespace {

using Jet = numerics::Jet<double, 1>;

/// A tape with a workspace for everyone who may evaluate it at the same time.
class SharedTape {
 public:
  SharedTape(expression::Tape tape, int threads) : tape_(std::move(tape)) {
    for (int i = 0; i < threads; ++i) desks_.push_back(std::make_unique<Desk>(tape_));
  }

  struct Desk {
    explicit Desk(const expression::Tape& tape) : plain(tape), jets(tape) {}
    std::atomic_flag taken = ATOMIC_FLAG_INIT;
    expression::Workspace<double> plain;
    expression::Workspace<Jet> jets;
  };
  /// One call of a bulk function holds a desk for some thousand elements: waiting is rare and short.
  template <class F>
  void at_a_desk(F&& f) {
    for (;;) {
      for (auto& desk : desks_) {
        if (desk->taken.test_and_set(std::memory_order_acquire)) continue;
        f(tape_, *desk);
        desk->taken.clear(std::memory_order_release);
        return;
      }
      std::this_thread::yield();
    }
  }

 private:
  expression::Tape tape_;
  std::vector<std::unique_ptr<Desk>> desks_;
};

}  // namespace

bodies::BarEnergy<double> bar_energy(expression::Tape tape, int threads) {
  const auto shared = std::make_shared<SharedTape>(std::move(tape), threads);
  bodies::BarEnergy<double> energy;
  energy.energy = [shared](const double* e, double* out, std::size_t n) {
    shared->at_a_desk([&](const expression::Tape& t, SharedTape::Desk& desk) {
      for (std::size_t i = 0; i < n; ++i) out[i] = t.evaluate(0, e + i, desk.plain);
    });
  };
  energy.stress = [shared](const double* e, double* out, std::size_t n) {
    shared->at_a_desk([&](const expression::Tape& t, SharedTape::Desk& desk) {
      for (std::size_t i = 0; i < n; ++i) t.gradient(0, e + i, out + i, desk.plain);
    });
  };
  energy.stiffness = [shared](const double* e, double* out, std::size_t n) {
    shared->at_a_desk([&](const expression::Tape& t, SharedTape::Desk& desk) {
      for (std::size_t i = 0; i < n; ++i) {
        const Jet x = Jet::variable(e[i], 0);
        Jet slope;
        t.gradient(0, &x, &slope, desk.jets);
        out[i] = slope.d[0];
      }
    });
  };
  return energy;
}

}  // namespace ricochet::scene
