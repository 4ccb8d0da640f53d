// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/placementfiles.h"

#include "core/insight/placement/placement.h"
#include "core/measured/speedtable.h"
#include "ui/findings/tracefound.h"
#include "ui/look/format.h"
#include "ui/look/wholefile.h"

#include <QFileInfo>
#include <QObject>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMaxErrors = 3;

QString sentenceOf(const Diagnostics& errors)
{
    QStringList lines;
    for (std::size_t i = 0; i < std::min(errors.size(), kMaxErrors); ++i)
        lines << QString::fromStdString(errors[i].path.empty() ? errors[i].message : errors[i].path + ": " + errors[i].message);
    return lines.join(u'\n') + (errors.size() > kMaxErrors ? QObject::tr("\nand %1 more").arg(errors.size() - kMaxErrors) : QString());
}

SpeedImport failed(const QString& problem)
{
    return {{}, {}, {}, problem};
}

} // namespace

SpeedImport readSpeeds(const QString& path, const Scenario& scenario)
{
    const QString name = QFileInfo(path).fileName();
    const Result<QByteArray> text = contentOf(path);
    if (!text)
        return failed(sentenceOf(text.errors()));
    const Result<SpeedTable> table = readSpeedTable(text->toStdString(), name.toStdString());
    if (!table)
        return failed(sentenceOf(table.errors()));
    Result<Scenario> with = withSpeeds(scenario, *table);
    if (!with)
        return failed(sentenceOf(with.errors()));
    QStringList notes;
    for (const Diagnostic& note : table->notes)
        notes << QString::fromStdString(note.message);
    return {std::move(with.value()),
            table->hosts,
            QObject::tr("%1 rows of %2 nodes. %3")
                .arg(format::count(static_cast<std::int64_t>(table->rows.size())),
                     format::count(static_cast<std::int64_t>(table->hosts.size())), notes.join(u' ')),
            {}};
}

QString writeNodes(const QString& path, const std::vector<int>& order, const std::vector<std::string>& hosts, int gpusPerNode)
{
    return writeWholeFile(path, hostfile(order, hosts, gpusPerNode, HostfileFormat::mpi));
}

} // namespace prism::ui
