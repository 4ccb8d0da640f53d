// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/svg.h"

#include <QBuffer>
#include <QPainter>
#include <QSvgGenerator>
#include <QXmlStreamWriter>

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kDotsPerInch = 96;

/// XML 1.0, production 2, without what stands for nothing.
QString withXmlCharacters(const QString& text)
{
    QString kept;
    kept.reserve(text.size());
    for (const char32_t c : text.toUcs4()) {
        const bool isPlain = c == 0x9 || c == 0xA || c == 0xD || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD);
        if (isPlain || (c >= 0x10000 && c <= 0x10FFFF))
            kept += QString::fromUcs4(&c, 1);
    }
    return kept;
}

/// The elements that hold both, escaped.
QString textElements(const QString& title, const QString& description)
{
    QString elements;
    QXmlStreamWriter writer(&elements);
    if (!title.isEmpty())
        writer.writeTextElement(u"title"_s, withXmlCharacters(title));
    if (!description.isEmpty())
        writer.writeTextElement(u"desc"_s, withXmlCharacters(description));
    return elements;
}

/// The generator writes a title and a description also where it was given none ("Generated with Qt").
void removeElement(QString& svg, const QString& name)
{
    const QString end = u"</%1>"_s.arg(name);
    if (const qsizetype first = svg.indexOf(u"<%1>"_s.arg(name)), last = svg.indexOf(end, first); first >= 0 && last >= 0)
        svg.remove(first, last + end.size() - first);
}

} // namespace

QByteArray svgDocument(QSize size, const std::function<void(QPainter&)>& paint, const QString& title, const QString& description)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setResolution(kDotsPerInch);
        generator.setSize(size);
        generator.setViewBox(QRect(QPoint(), size));
        QPainter painter(&generator);
        paint(painter);
    }
    QString svg = withXmlCharacters(QString::fromUtf8(buffer.data()));
    removeElement(svg, u"title"_s);
    removeElement(svg, u"desc"_s);
    const qsizetype rootEnd = svg.indexOf(u'>', svg.indexOf(u"<svg"_s));
    svg.insert(rootEnd + 1, textElements(title, description));
    return svg.toUtf8();
}

} // namespace prism::ui
