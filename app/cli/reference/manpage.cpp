// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reference/manpage.h"

#include "core/base/text.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace prism::cli {

namespace {

/// Text as roff takes it: a hyphen that can be copied, no line that starts as a request.
std::string roff(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
            out += "\\&";
        out += c == '-' ? "\\-" : c == '\\' ? "\\e" : std::string(1, c);
    }
    return out;
}

std::string nameWith(const std::string& name, char separator)
{
    std::string out = name;
    std::replace(out.begin(), out.end(), ' ', separator);
    return out;
}

std::string sentenceOf(const OptionEntry& o)
{
    std::string text = o.help;
    if (!text.empty() && text.back() != '.')
        text += '.';
    if (!o.choices.empty())
        text += " One of: " + joined(o.choices, ", ") + ".";
    if (!o.standard.empty() && !o.value.empty())
        text += " Default: " + o.standard + ".";
    return text;
}

std::string optionRoff(const OptionEntry& o)
{
    std::string names;
    for (const std::string& name : o.names)
        names += (names.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
    if (!o.positional && !o.value.empty())
        names += " \\fI" + roff(o.value) + "\\fR";
    return ".TP\n" + names + "\n" + roff(sentenceOf(o)) + "\n";
}

std::string commandRow(const CommandEntry& c)
{
    return ".TP\n\\fB" + roff(c.word()) + "\\fR\n" + roff(c.help) + ". See \\fB" + roff(nameWith(c.name, '-')) + "\\fR(1).\n";
}

std::string tableCell(const std::string& text)
{
    std::string out;
    for (const char c : text)
        out += c == '|' ? std::string("\\|") : c == '<' ? std::string("&lt;") : std::string(1, c);
    return out;
}

std::string commandMarkdown(const CommandEntry& c)
{
    std::string text = "## " + c.name + "\n\n" + tableCell(c.help) + ".\n\n    " + synopsis(c) + "\n\n";
    std::string rows;
    for (const OptionEntry& o : c.options) {
        if (o.longest() == "--help")
            continue;
        rows += "| `" + joined(o.names, ", ") + (o.positional || o.value.empty() ? "" : " " + o.value) + "` | " + tableCell(sentenceOf(o))
                + " |\n";
    }
    if (!rows.empty())
        text += "| option | what it does |\n| --- | --- |\n" + rows + "\n";
    if (!c.footer.empty() && c.name.find(' ') != std::string::npos)
        text += "    " + joined(split(c.footer, '\n'), "\n    ") + "\n\n";
    return text;
}

} // namespace

std::string manPageName(const CommandEntry& command)
{
    return nameWith(command.name, '-') + ".1";
}

std::string manPage(const CommandEntry& c, const std::string& version)
{
    std::string title = nameWith(c.name, '-');
    std::string text = fmt::format(".TH \"{}\" 1 \"\" \"PRISM Explorer {}\" \"PRISM Explorer\"\n", roff(title), version);
    text += ".SH NAME\n" + roff(title) + " \\- " + roff(c.help) + "\n";
    text += ".SH SYNOPSIS\n.B " + roff(synopsis(c)) + "\n";
    text += ".SH DESCRIPTION\n" + roff(c.help) + ".\n";
    if (!c.commands.empty()) {
        text += ".SH COMMANDS\n";
        for (const CommandEntry& sub : c.commands)
            text += commandRow(sub);
    }
    if (!c.options.empty()) {
        text += ".SH OPTIONS\n";
        for (const OptionEntry& o : c.options)
            text += optionRoff(o);
    }
    if (!c.footer.empty())
        text += ".SH NOTES\n.nf\n" + roff(c.footer) + "\n.fi\n";
    text += ".SH EXIT STATUS\n0 done, 1 the input is wrong, 2 the command line is wrong, 3 an internal error.\n";
    text += ".SH SEE ALSO\n";
    const bool isProgram = c.name.find(' ') == std::string::npos;
    return text + (isProgram ? ".BR prism\\-explorer (1)\n" : ".BR prism\\-cli (1)\n");
}

std::string referencePage(const CommandEntry& program)
{
    std::string text =
        "# The command line\n\nEvery command of `prism-cli`, from the program's own table: `prism-cli help --markdown` prints this page, "
        "`prism-cli help --man predict` a man page, `prism-cli help completion bash` (or `zsh`, `fish`) the completion of a shell.\n\n"
        "Numbers may carry units: `--limit \"9.5 s\"`, `--factor 20%`, `--gpus 1k`, `--tokens 15T`, `--deadline-days \"12 weeks\"`. "
        "A terminal gets colours (not with `NO_COLOR`), a histogram from `predict`, and one line of progress for what takes longer "
        "than two seconds; a file or pipe gets none of them. `--quiet` leaves only errors on standard error. An option that would have "
        "no effect is an error. What is written does not take the place of what is read: only `--base` and the scenario file of `new` may "
        "be written back. Exit codes: 0 "
        "done, 1 the input is wrong, 2 usage, 3 internal error.\n\n";
    for (const CommandEntry* c : allCommands(program))
        text += commandMarkdown(*c);
    text.pop_back();
    return text;
}

} // namespace prism::cli
