// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/parametertable.h"

#include "core/scenario/parametercheck.h"
#include "core/scenario/parameternames.h"

namespace prism {
namespace {

constexpr const char* kIntroduction =
    "# Parameters\n\n"
    "Everything that can be edited, in the order of the configuration editor. The id is the path in a scenario file, in\n"
    "`prism-cli predict sample-baseline --set parallelism.vpp=4` and in differences between scenarios. Numbers may carry a unit of the "
    "same kind\n"
    "(`0.9 TB/s`, `400 Gb/s`, `3 ms`, `1.8 GHz`); numbers without a unit may be percentages (`15%`). Counts of\n"
    "GPUs, sequences and tokens of a sequence may be written `16k` (16,384) or `1M` (1,048,576); other numbers take k, M, G and T as "
    "powers of ten.\n"
    "`prism-cli help parameters --markdown` prints this page.\n";

std::string titled(const std::string& group)
{
    std::string title = group;
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    return title;
}

std::string accepted(const Parameter& p)
{
    if (p.id.ends_with(".preset") || p.id == "cluster.fabric")
        return "a preset name, or empty";
    return acceptedText(p);
}

std::string defaultText(const Parameter& p)
{
    const std::string text = valueText(p.defaultValue);
    return text.empty() ? "(empty)" : text;
}

} // namespace

std::string parameterPage()
{
    std::string page = kIntroduction;
    std::string group;
    for (const Parameter& p : parameters()) {
        if (p.group != group) {
            group = p.group;
            page += "\n## " + titled(group) + "\n\n| id | name | accepted | default | meaning |\n| --- | --- | --- | --- | --- |\n";
        }
        page += "| `" + p.id + "` | " + fullName(p) + " | " + accepted(p) + " | " + defaultText(p) + " | " + p.help + " |\n";
    }
    page += "\n## Older ids\n\nFiles that have them are read.\n\n| id | now |\n| --- | --- |\n";
    for (const OlderId& older : olderIds())
        page += "| `" + std::string(older.id) + "` | " + std::string(older.now) + " |\n";
    return page;
}

} // namespace prism
