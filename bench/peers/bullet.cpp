// Bullet 3 (built in double precision). What it does at an impact: contacts are found at the start of a step from the
// positions there, then the velocity of each contact point is driven to −e times its value by a sequential-impulse
// solver, then positions move. The impact happens where the overlap was seen, up to one step late.
//
// Settings, chosen for the smallest energy error in these scenes:
//   restitution 1 on both bodies, m_restitutionVelocityThreshold 0, friction 0, damping 0, deactivation off, ten
//   iterations and split impulses (the defaults).
//   gContactBreakingThreshold 0: a contact exists only once the shapes overlap. With the default (0.02) the solver acts
//   across an open gap and removes speed before the impact (star, h = 0.005: −30 J in 1000 impacts).
//   m_erp = m_erp2 = 0: overlaps are not pushed out; the body leaves by its own velocity. With the defaults (0.2) the
//   push feeds the motion (star, h = 0.005: +1850 J in 531 impacts).
//   Continuous detection (setCcdMotionThreshold) is off: it cuts the motion at the time of impact and drops the rest of
//   the step (particle, h = 0.01: −5.5 J in 1000 impacts); in the other runs it changed nothing.
// Motion is kept in the plane by linear and angular factors. The floor is the infinite plane; the star is a hull of its
// four corners with margin 0, so that gap zero is where Bullet sees them touch.
#include <btBulletDynamicsCommon.h>

#include "peer.hpp"

namespace {

using namespace ricochet::peers;

class World {
 public:
  World(const Scene& scene, double h)
      : h_(h), dispatcher_(&configuration_), world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
    gContactBreakingThreshold = 0;
    world_.setGravity(btVector3(0, -scene.gravity, 0));
    btContactSolverInfo& info = world_.getSolverInfo();
    info.m_restitutionVelocityThreshold = 0;
    info.m_erp = 0;
    info.m_erp2 = 0;

    const double radius = scene.is_particle() ? 0.1 : 0.0;
    if (scene.is_particle()) {
      shape_ = std::make_unique<btSphereShape>(radius);
    } else {
      auto hull = std::make_unique<btConvexHullShape>();
      const double a = 0.5 * scene.side;
      for (const double x : {-a, a})
        for (const double y : {-a, a}) hull->addPoint(btVector3(x, y, 0));
      hull->setMargin(0);
      shape_ = std::move(hull);
    }
    plane_ = std::make_unique<btStaticPlaneShape>(btVector3(0, 1, 0), -radius);
    plane_->setMargin(0);

    const btVector3 inertia(scene.inertia, scene.inertia, scene.inertia);
    body_ = body(scene.mass, shape_.get(), inertia);
    floor_ = body(0, plane_.get(), btVector3(0, 0, 0));
    btTransform start(btQuaternion(btVector3(0, 0, 1), scene.start.theta), btVector3(scene.start.x, scene.start.y, 0));
    body_->setWorldTransform(start);
    body_->setActivationState(DISABLE_DEACTIVATION);
    body_->setLinearFactor(btVector3(1, 1, 0));
    body_->setAngularFactor(btVector3(0, 0, scene.is_particle() ? 0 : 1));
    body_->setLinearVelocity(btVector3(scene.start.vx, scene.start.vy, 0));
    body_->setAngularVelocity(btVector3(0, 0, scene.start.omega));
    world_.addRigidBody(floor_.get());
    world_.addRigidBody(body_.get());
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    world_.removeRigidBody(body_.get());
    world_.removeRigidBody(floor_.get());
  }

  void advance() {
    world_.stepSimulation(h_, 0);  // exactly one step of length h, no interpolation
    ++steps_;
  }

  // The quaternion knows θ up to whole turns, which no measurement needs except the recorded θ: follow it.
  State state() {
    const btQuaternion q = body_->getWorldTransform().getRotation();
    theta_ += std::remainder(2 * std::atan2(q.z(), q.w()) - theta_, 2 * SIMD_PI);
    const btVector3 p = body_->getWorldTransform().getOrigin(), v = body_->getLinearVelocity();
    const double t = static_cast<double>(steps_) * h_;
    return {t, p.x(), p.y(), theta_, v.x(), v.y(), body_->getAngularVelocity().z()};
  }

 private:
  static std::unique_ptr<btRigidBody> body(double mass, btCollisionShape* shape, const btVector3& inertia) {
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_restitution = 1;
    info.m_friction = 0;
    info.m_linearDamping = 0;
    info.m_angularDamping = 0;
    return std::make_unique<btRigidBody>(info);
  }

  double h_, theta_ = 0;
  long steps_ = 0;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::unique_ptr<btConvexShape> shape_;
  std::unique_ptr<btStaticPlaneShape> plane_;
  std::unique_ptr<btRigidBody> body_, floor_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string version = std::to_string(BT_BULLET_VERSION / 100) + "." + std::to_string(BT_BULLET_VERSION % 100);
  return run_peer<World>(argc, argv, "bullet", version,
                         "fixed step; velocity reversed where the overlap is seen; no position correction");
}
