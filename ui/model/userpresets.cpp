// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/userpresets.h"

#include "core/scenario/parameters.h"
#include "ui/look/wholefile.h"

#include <QCryptographicHash>
#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QObject>
#include <QStandardPaths>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 kLargestFile = 256 * 1024; // bytes; a preset has some kilobytes
constexpr int kMaxFiles = 1000, kLongestName = 100;
constexpr const char* kKindIds[] = {"gpu", "fabric", "price", "spread"};

bool belongsTo(const Parameter& p, OwnKind kind)
{
    const bool gpu = p.id.starts_with("cluster.gpu."), price = p.id == "cluster.gpu_hour_price_usd";
    switch (kind) {
    case OwnKind::gpu:
        return gpu && p.id != "cluster.gpu.preset";
    case OwnKind::fabric:
        return p.group == "cluster" && !gpu && !price && p.id != "cluster.num_gpus" && p.id != "cluster.fabric";
    case OwnKind::price:
        return price;
    case OwnKind::spread:
        return p.group == "variability" && p.id != "variability.preset";
    }
    return false;
}

Diagnostic problem(const QString& message)
{
    Diagnostic d;
    d.path = "preset";
    d.message = message.toStdString();
    return d;
}

Result<UserPreset> presetIn(const QByteArray& text)
{
    const QJsonObject object = QJsonDocument::fromJson(text).object();
    const auto kind = std::find(std::begin(kKindIds), std::end(kKindIds), object[u"kind"_s].toString().toStdString());
    UserPreset preset;
    preset.name = object[u"name"_s].toString().simplified().left(kLongestName);
    if (kind == std::end(kKindIds) || preset.name.isEmpty())
        return problem(QObject::tr("it is not a preset"));
    preset.kind = kOwnKinds[kind - std::begin(kKindIds)];
    const QJsonObject values = object[u"values"_s].toObject();
    for (const Parameter& p : parameters()) // in the order of the table: the family of a distribution comes before its values
        if (const QJsonValue value = values[QString::fromStdString(p.id)]; belongsTo(p, preset.kind) && value.isString())
            preset.values.emplace_back(p.id, value.toString().toStdString());
    if (preset.values.empty())
        return problem(QObject::tr("it holds no value that is known"));
    return preset;
}

} // namespace

QString ownKindName(OwnKind kind)
{
    switch (kind) {
    case OwnKind::gpu:
        return QObject::tr("GPU");
    case OwnKind::fabric:
        return QObject::tr("Fabric");
    case OwnKind::price:
        return QObject::tr("Price");
    case OwnKind::spread:
        return QObject::tr("Spread");
    }
    return {};
}

UserPreset userPresetOf(const Scenario& scenario, OwnKind kind, const QString& name)
{
    UserPreset preset{kind, name.simplified().left(kLongestName), {}};
    for (const Parameter& p : parameters())
        if (belongsTo(p, kind))
            preset.values.emplace_back(p.id, parameterText(p, scenario));
    return preset;
}

Result<Scenario> withUserPreset(const Scenario& scenario, const UserPreset& preset)
{
    Scenario next = scenario;
    Diagnostics errors;
    for (const auto& [id, text] : preset.values) {
        Result<Scenario> set = setParameter(next, id, text);
        for (const Diagnostic& d : set.errors())
            errors.push_back(d);
        if (set.ok())
            next = std::move(set).value();
    }
    if (!errors.empty())
        return errors;
    return next;
}

UserPresets::UserPresets(QString folder)
    : m_folder(folder.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + u"/presets"_s : std::move(folder))
{
}

/// A name may hold anything; the file's name holds what every system takes.
QString UserPresets::pathOf(const UserPreset& preset) const
{
    const QByteArray hash = QCryptographicHash::hash(preset.name.toUtf8(), QCryptographicHash::Sha256).toHex().left(16);
    return QDir(m_folder).filePath(QString::fromLatin1(kKindIds[static_cast<int>(preset.kind)]) + u'-' + QString::fromLatin1(hash)
                                   + u".json"_s);
}

Diagnostics UserPresets::save(const UserPreset& preset) const
{
    if (preset.name.isEmpty())
        return {problem(QObject::tr("A preset needs a name."))};
    QJsonObject values;
    for (const auto& [id, text] : preset.values)
        values[QString::fromStdString(id)] = QString::fromStdString(text);
    const QJsonObject object{
        {u"kind"_s, QString::fromLatin1(kKindIds[static_cast<int>(preset.kind)])}, {u"name"_s, preset.name}, {u"values"_s, values}};
    QDir().mkpath(m_folder);
    const QString notWritten = writeWholeFile(pathOf(preset), QJsonDocument(object).toJson());
    return notWritten.isEmpty() ? Diagnostics{} : Diagnostics{problem(notWritten)};
}

void UserPresets::remove(const UserPreset& preset) const
{
    QFile::remove(pathOf(preset));
}

std::vector<UserPreset> UserPresets::all(QStringList* problems) const
{
    std::vector<UserPreset> found;
    const QFileInfoList files = QDir(m_folder).entryInfoList({u"*.json"_s}, QDir::Files, QDir::Name).mid(0, kMaxFiles);
    for (const QFileInfo& info : files) {
        QFile file(info.filePath());
        Result<UserPreset> preset = info.size() <= kLargestFile && file.open(QIODevice::ReadOnly)
                                        ? presetIn(file.read(kLargestFile))
                                        : Result<UserPreset>(problem(QObject::tr("it cannot be read, or is larger than 256 KiB")));
        if (preset.ok())
            found.push_back(std::move(preset).value());
        else if (problems)
            *problems << u"%1: %2"_s.arg(info.fileName(), QString::fromStdString(preset.errors().front().message));
    }
    std::stable_sort(found.begin(), found.end(), [](const UserPreset& a, const UserPreset& b) {
        return a.kind != b.kind ? a.kind < b.kind : a.name.compare(b.name, Qt::CaseInsensitive) < 0;
    });
    return found;
}

} // namespace prism::ui
