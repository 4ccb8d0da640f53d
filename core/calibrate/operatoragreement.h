// SPDX-License-Identifier: GPL-3.0-or-later
// Errors of the cost model on measured operators, without and with a correction by such a table: the same numbers for the
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
    int otherSystems = 0; ///< rows of another GPU, by the table
};

/// Seconds of one operator as the model costs it alone on the GPU, at the clock of a benchmark. A module's products run without
/// tensor-parallel traffic; its backward is the products of both gradients.
[[nodiscard]] double operatorSeconds(const MeasuredOperator& measured, const OperatorMachine& machine);

/// Every row compared with the model. Rows whose system is another type of GPU (the first word of their name) are omitted.
[[nodiscard]] OperatorReport operatorReport(const std::vector<MeasuredOperator>& rows, const OperatorMachine& machine);

} // namespace prism
