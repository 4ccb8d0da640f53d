// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/exportmetadata.h"

#include <QCryptographicHash>
#include <QJsonDocument>
#include <QJsonObject>

#include <QtEndian>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr auto kMark = "prism-receipt:";
constexpr qsizetype kLongestMark = 1024 * 1024;        // letters; a scenario has some kilobytes
constexpr qsizetype kSum = 8;                          // bytes of the sum in front
constexpr quint32 kMaxMetadataBytes = 4 * 1024 * 1024; // bytes unpacked

bool isMarkLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

QByteArray sumOf(const QByteArray& packed)
{
    return QCryptographicHash::hash(packed, QCryptographicHash::Sha256).left(kSum);
}

/// What qCompress made, with its sum in front: unpacked, unless it was changed or claims to be too large.
QByteArray unpacked(const QByteArray& sealed)
{
    const QByteArray packed = sealed.mid(kSum);
    if (packed.size() < 8 || sealed.left(kSum) != sumOf(packed) || qFromBigEndian<quint32>(packed.constData()) > kMaxMetadataBytes)
        return {};
    return qUncompress(packed);
}

} // namespace

QByteArray metadataMark(const ExportMetadata& r)
{
    if (r.isEmpty())
        return {};
    const QJsonObject object{{u"scenario"_s, r.scenario},
                             {u"hash"_s, r.hash},
                             {u"seed"_s, QString::number(r.seed)},
                             {u"samples"_s, static_cast<qint64>(r.samples)},
                             {u"version"_s, r.version},
                             {u"page"_s, r.page},
                             {u"json"_s, r.scenarioJson}};
    constexpr int kBest = 9;
    const QByteArray packed = qCompress(QJsonDocument(object).toJson(QJsonDocument::Compact), kBest);
    return kMark + (sumOf(packed) + packed).toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals);
}

std::optional<ExportMetadata> markedMetadata(const QByteArray& content)
{
    QByteArray text = content;
    text.removeIf([](char c) { return c == '\0'; }); // a PDF holds its texts in UTF-16
    const qsizetype mark = text.indexOf(kMark);
    if (mark < 0)
        return std::nullopt;
    const qsizetype from = mark + qsizetype(qstrlen(kMark));
    qsizetype to = from;
    while (to < text.size() && to - from < kLongestMark && isMarkLetter(text[to]))
        ++to;
    const auto decoded =
        QByteArray::fromBase64Encoding(text.mid(from, to - from), QByteArray::Base64UrlEncoding | QByteArray::AbortOnBase64DecodingErrors);
    const QJsonObject object = decoded ? QJsonDocument::fromJson(unpacked(*decoded)).object() : QJsonObject();
    if (object[u"hash"_s].toString().isEmpty())
        return std::nullopt;
    return ExportMetadata{.scenario = object[u"scenario"_s].toString(),
                          .hash = object[u"hash"_s].toString(),
                          .seed = object[u"seed"_s].toString().toULongLong(),
                          .samples = object[u"samples"_s].toInteger(),
                          .version = object[u"version"_s].toString(),
                          .page = object[u"page"_s].toString(),
                          .scenarioJson = object[u"json"_s].toString()};
}

} // namespace prism::ui
