// SPDX-License-Identifier: GPL-3.0-or-later
// How a program leaves a command, or a call from Python, whose input is wrong: an exception inside of the program that carries the
// library's errors to the one place that shows them. It never crosses into the library.
#pragma once

#include "core/base/result.h"

#include <exception>
#include <utility>

namespace prism {

/// Everything that is wrong with an input. Caught where the program begins (prism-cli: exit code 1; Python: prism.Error).
class InputError final : public std::exception {
public:
    explicit InputError(Diagnostics diagnostics) : m_diagnostics(std::move(diagnostics)) {}
    [[nodiscard]] const Diagnostics& diagnostics() const { return m_diagnostics; }
    [[nodiscard]] const char* what() const noexcept override { return "the input is wrong"; }

private:
    Diagnostics m_diagnostics;
};

/// The value of a result, or InputError with its diagnostics. Any thread; in Python with or without the GIL.
template <class T>
T require(Result<T> result)
{
    if (!result.ok())
        throw InputError(result.errors());
    return std::move(result).value();
}

} // namespace prism
