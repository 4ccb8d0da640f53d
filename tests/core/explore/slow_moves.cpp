// SPDX-License-Identifier: GPL-3.0-or-later
// The next best move in twenty scenarios that were made bad in one parameter: each is found first.
#include "core/explore/plantedmoves.h"

#include <gtest/gtest.h>

namespace prism::test {
namespace {

class PlantedMoves : public testing::TestWithParam<PlantedMove> {};

TEST_P(PlantedMoves, AreFoundFirst)
{
    expectRepaired(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Twenty, PlantedMoves, testing::ValuesIn(plantedMoves()));

} // namespace
} // namespace prism::test
