// Box2D 2.4 (single precision). What it does at an impact: velocities get the whole step's gravity, contacts touching
// at the start of the step are solved, positions move; then, for a contact first reached within the step, the body is
// moved back to its time of impact, the velocity is reversed (times e) there and the rest of the step is flown without
// gravity. The time of impact is not given to the user.
//
// Settings, chosen for the smallest energy error in these scenes:
//   restitution 1, restitutionThreshold 0, friction 0, no damping, no sleeping, continuous physics on (bullet body),
//   8 velocity and 3 position iterations (as in the manual).
//   b2_linearSlop (0.005) and the skin of polygons (0.01) are compile-time constants of the library, so the scene is
//   modelled at 16 units per metre, which makes them 16 times smaller. At 1 unit per metre the particle touches the
//   skin at the start of a step, before its time of impact: gravity's kick is reflected too, a gain of m g h |v| per
//   impact (h = 0.005: +721 J in 689 impacts).
// The floor lies lower by the skins, so that gap zero is where Box2D sees the shapes touch. The body is set back by
// 16 m, in flight, whenever it has gone that far: floats stay fine near the origin.
#include <box2d/box2d.h>

#include "peer.hpp"

namespace {

using namespace ricochet::peers;

constexpr float scale = 16.0F;  // units per metre; a power of two, so that scaling rounds nothing

float units(double metres) { return scale * static_cast<float>(metres); }

class World {
 public:
  World(const Scene& scene, double h) : h_(h), world_(b2Vec2(0, -units(scene.gravity))) {
    world_.SetAllowSleeping(false);
    world_.SetContinuousPhysics(true);
    b2BodyDef definition;
    definition.type = b2_dynamicBody;
    definition.position.Set(units(scene.start.x), units(scene.start.y));
    definition.angle = static_cast<float>(scene.start.theta);
    definition.linearVelocity.Set(units(scene.start.vx), units(scene.start.vy));
    definition.angularVelocity = static_cast<float>(scene.start.omega);
    definition.fixedRotation = scene.is_particle();
    definition.allowSleep = false;
    definition.bullet = true;
    body_ = world_.CreateBody(&definition);

    b2FixtureDef fixture;
    fixture.density = 1;
    fixture.restitution = 1;
    fixture.restitutionThreshold = 0;
    fixture.friction = 0;
    b2CircleShape circle;
    b2PolygonShape box;
    if (scene.is_particle()) {
      circle.m_radius = units(0.1);
      fixture.shape = &circle;
    } else {
      box.SetAsBox(units(0.5 * scene.side), units(0.5 * scene.side));
      fixture.shape = &box;
    }
    body_->CreateFixture(&fixture);
    b2MassData mass;
    mass.mass = static_cast<float>(scene.mass);
    mass.center.SetZero();
    mass.I = static_cast<float>(scene.inertia) * scale * scale;
    body_->SetMassData(&mass);
    body_->SetAngularVelocity(static_cast<float>(scene.start.omega));

    const float level = -b2_polygonRadius - (scene.is_particle() ? circle.m_radius : box.m_radius);
    b2EdgeShape edge;
    edge.SetTwoSided(b2Vec2(-units(64), level), b2Vec2(units(64), level));
    fixture.shape = &edge;
    const b2BodyDef ground;
    world_.CreateBody(&ground)->CreateFixture(&fixture);
  }

  void advance() {
    world_.Step(static_cast<float>(h_), 8, 3);
    ++steps_;
    const b2Vec2 p = body_->GetPosition();
    if (p.x < -units(setback) && p.y > units(clear_of_floor)) {
      offset_ -= setback;
      body_->SetTransform(b2Vec2(p.x + units(setback), p.y), body_->GetAngle());
    }
  }

  [[nodiscard]] State state() const {
    const b2Vec2 p = body_->GetPosition(), v = body_->GetLinearVelocity();
    const double t = static_cast<double>(steps_) * h_;
    return {t,           p.x / scale + offset_,      p.y / scale, body_->GetAngle(), v.x / scale,
            v.y / scale, body_->GetAngularVelocity()};
  }

 private:
  static constexpr double setback = 16.0, clear_of_floor = 0.8;
  double h_, offset_ = 0;
  long steps_ = 0;
  b2World world_;
  b2Body* body_;
};

}  // namespace

int main(int argc, char** argv) {
  return run_peer<World>(argc, argv, "box2d", PEER_VERSION,
                         "single precision; continuous detection within the step; 16 units per metre");
}
