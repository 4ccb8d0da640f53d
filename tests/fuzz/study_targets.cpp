// SPDX-License-Identifier: GPL-3.0-or-later
// Study files and study folders from strangers: opened, checked, exported, salvaged, imported.
#include "core/base/outputfile.h"
#include "core/study/study.h"
#include "fuzz/scratch.h"
#include "fuzz/structure.h"
#include "fuzz/target.h"
#include "fuzz/writtenseeds.h"

#include <filesystem>

namespace prism::fuzz {
namespace {

namespace fs = std::filesystem;

void study(std::string_view bytes)
{
    const std::string path = scratchFile("input.prism"), rescued = scratchFile("rescued.prism");
    fs::remove(rescued);
    holds(writeFile(path, bytes).empty(), "the scratch file can be written");
    if (const Result<Study> open = Study::open(path, {.access = StudyAccess::readOnly})) {
        (void)open->check();
        (void)open->dump();
        for (const StudyScenario& s : open->scenarios())
            (void)open->revisions(s.id);
    }
    (void)salvageStudy(path, rescued);
    if (fs::exists(rescued))
        holds(Study::open(rescued).ok(), "what salvage wrote can be opened");
}

/// The input is a list of files: a line "@NAME" starts each.
void folder(std::string_view bytes)
{
    const std::string root = scratchFile("folder"), path = scratchFile("imported.prism");
    fs::remove_all(root);
    fs::remove(path);
    fs::create_directories(root + "/revisions");
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = std::min(bytes.find("\n@", at), bytes.size());
        const std::string_view part = bytes.substr(at, end - at);
        const std::size_t line = std::min(part.find('\n'), part.size());
        const std::string name(part.substr(part.starts_with('@') ? 1 : 0, line - (part.starts_with('@') && line > 0 ? 1 : 0)));
        const bool inside =
            !name.empty() && name.find("..") == std::string::npos && name.find('\0') == std::string::npos && name.front() != '/';
        if (inside)
            (void)writeFile(root + "/" + name, part.substr(std::min(line + 1, part.size())));
        at = end + 1;
    }
    const Result<Study> made = Study::importFolder(root, path);
    if (made)
        holds(made->check().empty(), "what import accepts, check accepts");
    else
        holds(!fs::exists(path), "a refused folder makes no study");
}

constexpr Target kTargets[] = {{"study", study, 1 << 18, writtenStudies, mutateStudy}, {"study_folder", folder}};

} // namespace

std::span<const Target> studyTargets()
{
    return kTargets;
}

} // namespace prism::fuzz
