// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/studyerror.h"

#include <new>

namespace prism {

void failStudy(std::string_view problem, std::string message, std::string found, std::string accepted)
{
    throw StudyError{{Severity::error, std::string(problem), std::move(message), std::move(found), std::move(accepted)}};
}

Diagnostics attempt(const std::function<void()>& f)
{
    try {
        f();
        return {};
    } catch (const StudyError& error) {
        return {error.diagnostic};
    } catch (const std::bad_alloc&) {
        return {{Severity::error, std::string(study_problem::kTooLarge), "Not enough memory for this study."}};
    } catch (const std::exception& error) {
        return {{Severity::error, std::string(study_problem::kInputOutput), "The study could not be read or written.", error.what()}};
    }
}

} // namespace prism
