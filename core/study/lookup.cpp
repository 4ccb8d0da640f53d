// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario by its name in a study file, for the command line.
#include "core/study/study.h"

namespace prism {

Result<Scenario> scenarioFromStudy(const std::string& path, const std::string& name)
{
    const Result<Study> study = Study::open(path, {.access = StudyAccess::readOnly});
    if (!study.ok())
        return study.errors();
    std::string json;
    if (name.empty()) {
        std::string names;
        int shown = 0;
        for (const StudyScenario& scenario : study->scenarios()) {
            if (scenario.archived)
                continue;
            ++shown;
            json = scenario.json;
            if (names.size() < 400)
                names += (names.empty() ? "" : ", ") + scenario.name;
        }
        if (shown != 1)
            return Diagnostic{Severity::error, std::string(study_problem::kInvalid),
                              shown == 0 ? "The study has no scenarios." : "The study has several scenarios: name one.", path, names};
    } else {
        const Result<StudyScenario> scenario = study->scenario(name);
        if (!scenario.ok())
            return scenario.errors();
        json = scenario->json;
    }
    return scenarioFromJson(json);
}

} // namespace prism
