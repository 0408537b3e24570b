// The animated part of the page: the channels of the shapes at as many frames as the page can carry, the impacts among
// them.
#pragma once

#include <memory>
#include <vector>

#include "ricochet/report/payload.hpp"
#include "ricochet/report/stage.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::report {

/// `model` may be missing (a record without a scene): then nothing is known of the boundary.
Json motion(const record::Reader& reader, const std::vector<record::Impact>& impacts, const Stage& stage,
            const scene::Model* model, const Limits& limits);

}  // namespace ricochet::report
