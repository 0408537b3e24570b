#include "ricochet/scene/beam_readings.hpp"

#include <bit>

namespace ricochet::scene {
namespace {

using Vec = Eigen::Vector3d;

Eigen::Matrix3d matrix(const BeamBody& body, const BeamBody::Node& x, std::ptrdiff_t a) {
  return body.rotation(x, a).toRotationMatrix();
}
Vec eigen(const bodies::beams::Triple<double>& v) { return {v.x, v.y, v.z}; }

}  // namespace

lie::Vec6<double> beam_strain(const BeamBody& body, const BeamBody::Node& x, std::ptrdiff_t a) {
  const auto& segment = body.chain().segment(body.chain().beam_of(a));
  // By the quaternion of g_a⁻¹g_{a+1}: ω = 2v/w has no 1 + tr to lose digits in.
  const Eigen::Quaterniond q = body.rotation(x, a).conjugate() * body.rotation(x, a + 1);
  const Vec w = 2 / q.w() * q.vec(),
            r = matrix(body, x, a).transpose() * (body.position(x, a + 1) - body.position(x, a));
  return lie::join<double>(w, r - w.cross(r) / 2) * segment.inverse_spacing;  // errata D12
}

void beam_energies(const BeamModel& model, const BeamBody& body, const BeamBody::Node& x, std::vector<BeamState>& out) {
  const auto& chain = body.chain();
  out.resize(static_cast<std::size_t>(chain.beams()));
  for (int b = 0; b < chain.beams(); ++b) {
    const auto& segment = chain.segment(b);
    const auto& m = segment.material;
    BeamState& beam = out[static_cast<std::size_t>(b)];
    beam = {};
    beam.name = model.spec.beams[static_cast<std::size_t>(b)].name;
    const Vec bending = eigen(m.bending), shear = eigen(m.shear), inverse = eigen(m.gyration.inverse),
              load = eigen(segment.gravity);
    for (auto a = segment.first; a <= segment.last; ++a) {
      const double w = segment.weight(a);
      const Vec p = eigen(x.p(a)), spin = eigen(x.spin(a));
      beam.kinetic += (p.squaredNorm() / m.mass + spin.dot(inverse.cwiseProduct(spin))) / (2 * w);
      beam.gravity -= w * load.dot(body.position(x, a));
      if (a == segment.last) continue;
      const lie::Vec6<double> eta = beam_strain(body, x, a);
      const Vec Omega = eta.head<3>(), Gamma = eta.tail<3>() - Vec::UnitZ();
      beam.elastic +=
          segment.spacing / 2 * (Omega.dot(bending.cwiseProduct(Omega)) + Gamma.dot(shear.cwiseProduct(Gamma)));
    }
  }
}

void beam_row(const std::vector<BeamState>& energies, const BeamBody& body, const BeamBody::Node& x,
              std::vector<double>& out) {
  out.assign(1, x.t);
  for (const auto& b : energies) out.push_back(b.kinetic);
  for (const auto& b : energies) out.push_back(b.elastic);
  for (const auto& b : energies) out.push_back(b.gravity);
  const auto& chain = body.chain();
  for (const bool angular : {false, true})
    for (int b = 0; b < chain.beams(); ++b) {
      Vec sum = Vec::Zero();
      for (auto a = chain.segment(b).first; a <= chain.segment(b).last; ++a) {
        const Vec p = eigen(x.p(a));
        sum += angular ? body.position(x, a).cross(p) + body.rotation(x, a) * eigen(x.spin(a)) : p;
      }
      out.insert(out.end(), sum.data(), sum.data() + 3);
    }
}

void beam_fields(const BeamBody& body, const BeamBody::Node& x, std::vector<double>& out) {
  out.assign(1, x.t);
  const auto put = [&](const Vec& v) { out.insert(out.end(), v.data(), v.data() + 3); };
  const std::ptrdiff_t n = body.nodes();
  for (std::ptrdiff_t a = 0; a < n; ++a) put(body.position(x, a));
  for (std::ptrdiff_t a = 0; a < n; ++a) {
    const Eigen::Quaterniond q = body.rotation(x, a);
    out.push_back(q.w());
    put(q.vec());
  }
  for (std::ptrdiff_t a = 0; a < n; ++a) put(body.velocity(x, a));
  const auto& chain = body.chain();
  for (int b = 0; b < chain.beams(); ++b)
    for (auto a = chain.segment(b).first; a <= chain.segment(b).last; ++a) {
      const auto& segment = chain.segment(b);
      const Vec spin = eigen(segment.material.gyration.inverse).cwiseProduct(eigen(x.spin(a))) / segment.weight(a);
      put(body.rotation(x, a) * spin);
    }
  for (int b = 0; b < chain.beams(); ++b)
    for (auto a = chain.segment(b).first; a < chain.segment(b).last; ++a) {
      const lie::Vec6<double> eta = beam_strain(body, x, a);
      out.insert(out.end(), eta.data(), eta.data() + 6);
    }
}

std::vector<double> beam_mesh(const BeamModel& model) {
  const std::size_t nodes = model.nodes, elements = model.elements;
  std::vector<double> row(nodes + 3 * elements, 0.0);
  const auto integer = [](std::size_t x) { return std::bit_cast<double>(static_cast<std::int64_t>(x)); };
  std::size_t node = 0, element = 0, number = 0;
  for (const auto& beam : model.spec.beams) {
    for (int i = 0; i <= beam.elements; ++i, ++node) {
      row[node] = beam.length * i / beam.elements;
      if (i == beam.elements) continue;
      row[nodes + 2 * element] = integer(node);
      row[nodes + 2 * element + 1] = integer(node + 1);
      row[nodes + 2 * elements + element++] = integer(number);
    }
    ++number;
  }
  return row;
}

}  // namespace ricochet::scene
