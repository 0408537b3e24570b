// What records hold of beams at one moment.
#pragma once

#include "ricochet/bodies/beam.hpp"
#include "ricochet/scene/beam_model.hpp"
#include "ricochet/scene/simulation.hpp"

namespace ricochet::scene {

using BeamBody = bodies::Beams<double>;

/// What can be said of one beam.
struct BeamState {
  std::string name;
  double kinetic = 0, elastic = 0, gravity = 0;
  std::int64_t contacts = 0;     ///< nodes that met an obstacle
  double impulse = 0;            ///< of all of them
  std::optional<double> lowest;  ///< its smallest gap
};

/// η_a = τ⁻¹(g_a⁻¹g_{a+1})/Δs of the element after node `a` (numbered through all beams): (Ω, Γ), Demoures 2016 (5.4).
lie::Vec6<double> beam_strain(const BeamBody& body, const BeamBody::Node& x, std::ptrdiff_t a);

/// Kinetic, elastic and gravity energies of every beam.
void beam_energies(const BeamModel& model, const BeamBody& body, const BeamBody::Node& x, std::vector<BeamState>& out);

/// A row of the dataset `beams` without the impulses at its end.
void beam_row(const std::vector<BeamState>& energies, const BeamBody& body, const BeamBody::Node& x,
              std::vector<double>& out);
/// A row of the dataset `fields`: t, positions, quaternions (w first), velocities, spins in space, strains.
void beam_fields(const BeamBody& body, const BeamBody::Node& x, std::vector<double>& out);
/// The row of the dataset `mesh`: material coordinates; the two nodes and the beam of every element.
std::vector<double> beam_mesh(const BeamModel& model);

}  // namespace ricochet::scene
