// SPDX-License-Identifier: GPL-3.0-or-later
// The theme of the running application: light, dark or as the system, UI scale, presentation mode; one change signal.
#pragma once

#include "ui/look/look.h"

#include <QObject>

class QApplication;
class QWidget;

namespace prism::ui {

/// Owned by the application and passed to all classes that draw. GUI thread only.
///
/// The style sheet reads these dynamic properties; set them before the widget is shown, or call `restyle` after:
///   QFrame    card=true | message="error" "warning" "note" | separator=true | surface="window" "panel" "header"
///   QLabel    role="secondary" "tertiary" "good" "bad" "error" "warning" "accent"; type="headline" "value" "title" "strong" "small" "tick"
///   QPushButton kind="primary" "closing" "primary closing" "danger" "link" "plain" "flat";  QToolButton is flat
///   QLineEdit, QComboBox, QAbstractSpinBox  state="error" "warning" "derived"
///   QTabBar   page tabs;  QTableView, QTreeView  tables of 28 px rows
class Theme final : public QObject {
    Q_OBJECT
public:
    enum class Mode { system, light, dark };

    explicit Theme(QObject* parent = nullptr);

    // change it
    void setMode(Mode mode) { setLook(mode, m_uiScale); }
    void setUiScale(double factor) { setLook(m_mode, factor); }
    /// Both at once: all widgets are restyled one time. The factor is clamped.
    void setLook(Mode mode, double factor);
    /// Presentation mode: everything 1.4 times as large, where the window has the room.
    void setPresentation(bool on);
    /// Whether the window's study can be changed; else controls that change it are hidden, as in presentation mode.
    void setEditable(bool on);
    /// The window that presents: in one smaller than 1440 x 900 at the UI scale everything grows less, as its charts must stay whole.
    void setRoom(QSize window);
    /// Sets style, palette, font and style sheet of the application, and keeps them current.
    void applyTo(QApplication& application);

    // look at it
    [[nodiscard]] static double clampedScale(double factor); ///< to [0.75, 2]
    [[nodiscard]] Mode mode() const { return m_mode; }
    [[nodiscard]] bool isDark() const { return m_look.isDark(); }
    [[nodiscard]] double uiScale() const { return m_uiScale; }
    [[nodiscard]] bool presentation() const { return m_presentation; }
    [[nodiscard]] bool isEditable() const { return m_editable && !m_presentation; }
    [[nodiscard]] const Look& look() const { return m_look; }
    [[nodiscard]] QColor color(Role role) const { return m_look[role]; }
    [[nodiscard]] QFont font(Type type) const { return m_look.font(type); }
    [[nodiscard]] int px(double size) const { return m_look.px(size); }

Q_SIGNALS:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void update();
    [[nodiscard]] double presentationFactor() const;
    [[nodiscard]] static bool systemIsDark();

    Mode m_mode = Mode::system;
    double m_uiScale = 1.0;
    bool m_presentation = false, m_editable = true;
    QSize m_room; ///< of the window that presents; empty = enough
    bool m_systemDark = false;
    bool m_applying = false;
    Look m_look;
    QApplication* m_application = nullptr;
};

/// The application's style sheet for a look.
[[nodiscard]] QString styleSheet(const Look& look);
[[nodiscard]] QPalette widgetPalette(const Look& look);
/// Re-reads the dynamic properties of a widget, after one has changed or this one is set.
void restyle(QWidget* widget);
void restyle(QWidget* widget, const char* property, const QVariant& value);

} // namespace prism::ui
