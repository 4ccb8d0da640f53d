// SPDX-License-Identifier: GPL-3.0-or-later
// Errors inside core/study: thrown, and turned into Diagnostics at the border of the layer.
#pragma once

#include "core/base/result.h"
#include "core/study/studytypes.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace prism {

/// Thrown inside core/study only.
struct StudyError {
    Diagnostic diagnostic;
};
[[noreturn]] void failStudy(std::string_view problem, std::string message, std::string found = {}, std::string accepted = {});

/// Runs `f` and turns its exceptions into diagnostics.
[[nodiscard]] Diagnostics attempt(const std::function<void()>& f);
template <class T, class F>
[[nodiscard]] Result<T> attemptFor(F f)
{
    std::unique_ptr<T> value;
    Diagnostics errors = attempt([&] { value = std::make_unique<T>(f()); });
    if (!errors.empty())
        return errors;
    return std::move(*value);
}

} // namespace prism
