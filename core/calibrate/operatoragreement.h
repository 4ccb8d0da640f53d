// SPDX-License-Identifier: GPL-3.0-or-later
// How far the cost model is from measured operators, and from them after a correction that such a table makes: the same numbers for the
// command line and the tests.
#pragma once

#include "core/calibrate/residuals.h"
#include "core/cost/shapecorrection.h"
#include "core/measured/operatortable.h"
#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace prism {

/// On what a table is compared.
struct OperatorMachine {
    GpuSpec gpu;
    std::string attentionBackend = "flash2";
    bool causal = false; ///< whether the measured attention had a mask
};

struct ComparedOperator {
    MeasuredOperator measured;
    double predicted = 0, error = 0; ///< seconds; predicted / measured - 1
};

/// Rows of one kind, pass and precision.
struct OperatorAgreement : Residuals {
    std::string name;
    int within10 = 0, within25 = 0;
    CrossValidation corrected; ///< of a correction by regression over shape, on fifths of the shapes omitted in turn
};

struct OperatorReport {
    std::vector<ComparedOperator> rows;
    std::vector<OperatorAgreement> groups;
    int otherSystems = 0; ///< rows that the table says are of another GPU
};

/// Seconds of one operator as the model costs it alone on the GPU, at the clock of a benchmark. A module's products run without
/// tensor-parallel traffic; its backward is the products of both gradients.
[[nodiscard]] double operatorSeconds(const MeasuredOperator& measured, const OperatorMachine& machine);

/// Every row next to the model. Rows whose system is another type of GPU (the first word of their name) are omitted.
[[nodiscard]] OperatorReport operatorReport(const std::vector<MeasuredOperator>& rows, const OperatorMachine& machine);

} // namespace prism
