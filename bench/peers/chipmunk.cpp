// Chipmunk2D (double precision). What it does at an impact: positions move first, then overlapping shapes are found,
// and the velocity of a touching point is reversed (times e) by ten sweeps over the contacts. The impact happens where
// the overlap was seen, up to one step late; it is not located.
//
// Settings, chosen for the smallest energy error in these scenes:
//   elasticity 1, friction 0, damping 1 (none), sleeping off, ten iterations (the default).
//   collisionBias 1: overlaps are not pushed out; the body leaves by its own reflected velocity. A push lifts it, and
//   so adds m g times the lift (slop 0 with the default bias; star, h = 0.005: +4.1 J in 1000 impacts). The default
//   slop (0.1) hides the star's overlaps at this step and gives the same motion as here, but not at larger steps.
//   There is no continuous collision detection to switch on.
// The floor is a segment of 200 m: the body is set back by 16 m, in flight, whenever it has gone that far.
#include <chipmunk/chipmunk.h>

#include <limits>

#include "peer.hpp"

namespace {

using namespace ricochet::peers;

class World {
 public:
  World(const Scene& scene, double h) : h_(h), space_(cpSpaceNew()) {
    cpSpaceSetGravity(space_, cpv(0, -scene.gravity));
    cpSpaceSetDamping(space_, 1.0);
    cpSpaceSetCollisionSlop(space_, 0.0);
    cpSpaceSetCollisionBias(space_, 1.0);
    cpSpaceSetSleepTimeThreshold(space_, std::numeric_limits<cpFloat>::infinity());
    body_ = cpBodyNew(scene.mass, scene.is_particle() ? std::numeric_limits<cpFloat>::infinity() : scene.inertia);
    cpSpaceAddBody(space_, body_);
    const double a = 0.5 * scene.side;
    const cpVect corners[] = {cpv(-a, -a), cpv(a, -a), cpv(a, a), cpv(-a, a)};
    shape_ = scene.is_particle() ? cpCircleShapeNew(body_, radius, cpvzero)
                                 : cpPolyShapeNew(body_, 4, corners, cpTransformIdentity, 0.0);
    // A thick segment whose upper side touches the body at gap zero.
    const double axis = (scene.is_particle() ? -radius : 0.0) - 1.0;
    floor_ = cpSegmentShapeNew(cpSpaceGetStaticBody(space_), cpv(-100, axis), cpv(100, axis), 1.0);
    for (cpShape* shape : {shape_, floor_}) {
      cpShapeSetElasticity(shape, 1.0);
      cpShapeSetFriction(shape, 0.0);
      cpSpaceAddShape(space_, shape);
    }
    cpBodySetPosition(body_, cpv(scene.start.x, scene.start.y));
    cpBodySetAngle(body_, scene.start.theta);
    cpBodySetVelocity(body_, cpv(scene.start.vx, scene.start.vy));
    cpBodySetAngularVelocity(body_, scene.start.omega);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    for (cpShape* shape : {shape_, floor_}) {
      cpSpaceRemoveShape(space_, shape);
      cpShapeFree(shape);
    }
    cpSpaceRemoveBody(space_, body_);
    cpBodyFree(body_);
    cpSpaceFree(space_);
  }

  void advance() {
    cpSpaceStep(space_, h_);
    ++steps_;
    const cpVect p = cpBodyGetPosition(body_);
    if (p.x < -setback && p.y > clear_of_floor) {
      offset_ -= setback;
      cpBodySetPosition(body_, cpv(p.x + setback, p.y));
    }
  }

  [[nodiscard]] State state() const {
    const cpVect p = cpBodyGetPosition(body_), v = cpBodyGetVelocity(body_);
    const double t = static_cast<double>(steps_) * h_;
    return {t, p.x + offset_, p.y, cpBodyGetAngle(body_), v.x, v.y, cpBodyGetAngularVelocity(body_)};
  }

 private:
  static constexpr double radius = 0.1;  // of the circle that stands for the particle; its centre is the particle
  static constexpr double setback = 16.0, clear_of_floor = 0.8;
  double h_, offset_ = 0;
  long steps_ = 0;
  cpSpace* space_;
  cpBody* body_;
  cpShape *shape_, *floor_;
};

}  // namespace

int main(int argc, char** argv) {
  return run_peer<World>(argc, argv, "chipmunk", cpVersionString,
                         "fixed step; velocity reversed where the overlap is seen; no position correction");
}
