// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/study/support_sample.h"

#include "core/study/support.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace prism::study_test {

void makeSampleStudy(const std::string& path)
{
    Result<Study> study = Study::create(path, options());
    ASSERT_TRUE(study.ok()) << text(study.errors());
    for (int s = 0; s < 8; ++s) {
        const ScenarioId id = study->addScenario("scenario " + std::to_string(s), "{\"version\":1}").value();
        for (int r = 0; r < 6; ++r) {
            std::string rows;
            for (int i = 0; i < (r == 3 ? 250 : 30); ++i)
                (i > 0 ? rows += ',' : rows) += std::to_string(mix64(static_cast<std::uint64_t>(s * 1000 + i)));
            ASSERT_TRUE(study
                            ->updateScenario(id, {.json = "{\"version\":1,\"edit\":" + std::to_string(r) + ",\"measured\":[" + rows + "]}",
                                                  .label = "edit " + std::to_string(r)})
                            .ok());
        }
        std::string bytes;
        for (std::uint64_t i = 0; i < 300; ++i)
            bytes += ContentHash{mix64(i * 31 + static_cast<std::uint64_t>(s))}.text();
        ASSERT_TRUE(study->putResult({static_cast<std::uint64_t>(s)}, "summary", {"0.1.0", 1, 10'000}, bytes).empty());
        ASSERT_TRUE(study->addAttachment({.scenario = id, .kind = "pool", .name = "times", .source = "times.csv"}, bytes).ok());
    }
    ASSERT_TRUE(study->setBaseline(study->scenarios().front().id).empty());
    ASSERT_TRUE(study->remove(study->scenarios().back().id).empty());
    ASSERT_TRUE(study->undo().empty());
    ASSERT_TRUE(study->setViewState("layout", "{}").empty());
}

std::string readAll(const std::string& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

void writeAll(const std::string& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

} // namespace prism::study_test
