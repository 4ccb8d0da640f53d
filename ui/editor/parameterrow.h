// SPDX-License-Identifier: GPL-3.0-or-later
// One line of the configuration editor: label, field, mark of difference, and its error.
#pragma once

#include "core/scenario/parameters.h"
#include "ui/theme/theme.h"

#include <QWidget>

#include <functional>

class QCheckBox;
class QFrame;
class QLabel;
class QPushButton;

namespace prism::ui {

class ChoiceBox;
class QuantityEdit;

/// GUI thread only. The row shows one parameter of a scenario; the editor commits what the user enters.
class ParameterRow final : public QWidget {
    Q_OBJECT
public:
    ParameterRow(const Parameter& parameter, const Theme& theme, QWidget* parent = nullptr);

    // change it
    /// Returns whether the value in use is another one than before.
    bool showValue(const Scenario& scenario, bool differs);
    /// The scenario's error at this field; empty message = none. The text that was typed stays.
    void showProblem(const QString& message, const QString& inUse, const Diagnostic* fix);
    /// The value that the typed text was taken for; the text stays while the user is typing.
    void acceptTyped(const Scenario& scenario);
    void discardTyped();
    void submitTyped(); ///< takes typed text now, without waiting for the pause
    void setReadOnly(bool readOnly);
    /// Values that the user typed as a range or a list: a button each, to look at and to take; empty = none.
    void showRange(const QStringList& values);

    // look at it
    [[nodiscard]] const Parameter& parameter() const { return m_parameter; }
    [[nodiscard]] bool differs() const { return m_differs; }
    [[nodiscard]] bool isPending() const; ///< typed text was not taken yet
    /// The present content of the field, as text for the parameter's reader.
    [[nodiscard]] QString shownText() const;
    [[nodiscard]] bool hasProblem() const;
    [[nodiscard]] QWidget* field() const;
    [[nodiscard]] QString labelText() const;
    [[nodiscard]] const QStringList& rangeValues() const { return m_rangeValues; }

Q_SIGNALS:
    void entered(const QString& text);
    void editingDone();
    void tried(const QString& text); ///< a value is looked at, not meant yet
    void leftTrying();
    void searchRequested(); ///< the range shall be searched
    void fixRequested(const QString& path, const QString& value);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeField();
    [[nodiscard]] QWidget* makeMessage();

    const Parameter& m_parameter;
    const Theme& m_theme;
    QLabel* m_label;
    QuantityEdit* m_edit = nullptr;
    ChoiceBox* m_combo = nullptr;
    QCheckBox* m_check = nullptr;
    QFrame* m_message;
    QWidget* m_range = nullptr; ///< made with the first range
    QLabel *m_messageText, *m_messageUse;
    QPushButton* m_fix;
    QString m_fixPath, m_fixValue;
    QStringList m_rangeValues;
    bool m_differs = false;
};

/// The value as the field shows it: without the unit that is next to it.
[[nodiscard]] QString fieldText(const Parameter& parameter, const Scenario& scenario);
/// The value as sentences and tables show it: with its unit, "yes" and "no", choices in words.
[[nodiscard]] QString valueText(const Parameter& parameter, const Scenario& scenario);

} // namespace prism::ui
