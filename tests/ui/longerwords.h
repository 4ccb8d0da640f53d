// SPDX-License-Identifier: GPL-3.0-or-later
// Every label as long as a German one: a translation that lengthens words, by about a third, short labels by more.
#pragma once

#include <QTranslator>

#include <algorithm>

namespace prism::ui::test {

/// What translations into German add to English labels: short ones grow by more than half ("Copy", "Kopieren"), sentences by a third.
inline QString lengthened(const QString& label)
{
    static const QString kFiller = QStringLiteral("ungsverfahrenseinheit");
    constexpr qsizetype kShort = 10, kMinWord = 3;
    const double growth = label.size() <= kShort ? 0.6 : 0.33;
    QString longer;
    qsizetype word = 0; // letters of the word before the next character
    const auto endWord = [&] {
        if (word >= kMinWord)
            longer +=
                kFiller.left(std::clamp<qsizetype>(static_cast<qsizetype>(growth * static_cast<double>(word) + 0.5), 1, kFiller.size()));
        word = 0;
    };
    for (const QChar c : label) {
        if (!c.isLetter())
            endWord();
        longer += c;
        word += c.isLetter() ? 1 : 0;
    }
    endWord();
    return longer;
}

class LongerWords final : public QTranslator {
public:
    [[nodiscard]] bool isEmpty() const override { return false; }
    [[nodiscard]] QString translate(const char*, const char* source, const char*, int) const override
    {
        return lengthened(QString::fromUtf8(source));
    }
};

} // namespace prism::ui::test
