// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include "ui/theme/plaintext.h"

#include <QApplication>
#include <QEvent>
#include <QFile>
#include <QFontDatabase>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QStyle>
#include <QStyleFactory>
#include <QWidget>

#include <algorithm>
#include <cmath>
#include <utility>

// A static library's resources are only linked in when requested; the macro must be outside any namespace.
static void loadThemeResources()
{
    Q_INIT_RESOURCE(theme);
}

namespace prism::ui {

using namespace Qt::StringLiterals;

namespace {
inline constexpr double kPresentationFactor = 1.4, kPresentationWidth = 1440, kPresentationHeight = 900;
inline constexpr double kFactorStep = 0.02; // not every pixel of a window that is being resized is a new look
inline constexpr double kMinimumScale = 0.75, kMaximumScale = 2.0;

/// A field that shows a hint while it is empty.
QWidget* fieldWithHint(QObject* watched)
{
    return qobject_cast<QLineEdit*>(watched) || qobject_cast<QPlainTextEdit*>(watched) ? static_cast<QWidget*>(watched) : nullptr;
}
} // namespace

Theme::Theme(QObject* parent) : QObject(parent) {}

double Theme::clampedScale(double factor)
{
    return std::clamp(factor, kMinimumScale, kMaximumScale);
}

void Theme::setLook(Mode mode, double factor)
{
    if (mode == m_mode && clampedScale(factor) == m_uiScale)
        return;
    m_mode = mode;
    m_uiScale = clampedScale(factor);
    update();
}

void Theme::setPresentation(bool on)
{
    if (std::exchange(m_presentation, on) != on)
        update();
}

void Theme::setEditable(bool on)
{
    if (std::exchange(m_editable, on) != on)
        update();
}

void Theme::setRoom(QSize window)
{
    const double before = presentationFactor();
    m_room = window;
    if (presentationFactor() != before)
        update();
}

double Theme::presentationFactor() const
{
    if (!m_presentation || m_room.isEmpty())
        return m_presentation ? kPresentationFactor : 1.0;
    const double share = std::min(m_room.width() / kPresentationWidth, m_room.height() / kPresentationHeight) / m_uiScale;
    const double factor = std::floor(kPresentationFactor * share / kFactorStep) * kFactorStep;
    return std::clamp(factor, 1.0, kPresentationFactor);
}

void Theme::applyTo(QApplication& application)
{
    loadThemeResources();
    for (const QString& weight : {u"Regular"_s, u"SemiBold"_s})
        if (const QString file = u":/fonts/InterTabular-%1.otf"_s.arg(weight); QFile::exists(file))
            QFontDatabase::addApplicationFont(file);
    m_application = &application;
    m_systemDark = systemIsDark();
    QApplication::setStyle(QStyleFactory::create(u"Fusion"_s));
    application.installEventFilter(this);
    application.installEventFilter(new PlainTips(this));
    update();
}

bool Theme::eventFilter(QObject* watched, QEvent* event)
{
    // Qt 6.4 has no colour scheme: the system's palette shows through only while the application has not set one.
    if (event->type() == QEvent::ThemeChange && !m_applying) {
        m_applying = true;
        QApplication::setPalette(QPalette());
        const bool dark = systemIsDark();
        QApplication::setPalette(widgetPalette(m_look));
        m_applying = false;
        if (dark != m_systemDark) {
            m_systemDark = dark;
            update();
        }
    }
    // The style sheet makes of its colour for text one for hints, at half strength: too pale to be read.
    if (QWidget* field = event->type() == QEvent::PaletteChange ? fieldWithHint(watched) : nullptr)
        if (QPalette palette = field->palette(); palette.color(QPalette::PlaceholderText) != m_look[Role::textTertiary]) {
            palette.setColor(QPalette::PlaceholderText, m_look[Role::textTertiary]);
            field->setPalette(palette);
        }
    return QObject::eventFilter(watched, event);
}

bool Theme::systemIsDark()
{
    const QPalette palette = QApplication::palette();
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

void Theme::update()
{
    const bool dark = m_mode == Mode::dark || (m_mode == Mode::system && m_systemDark);
    m_look = Look(dark ? darkPalette() : lightPalette(), m_uiScale * presentationFactor());
    if (m_application) {
        m_applying = true;
        QApplication::setPalette(widgetPalette(m_look));
        QApplication::setFont(m_look.font(Type::body));
        m_application->setStyleSheet(styleSheet(m_look));
        m_applying = false;
    }
    Q_EMIT changed();
}

QPalette widgetPalette(const Look& look)
{
    QPalette p;
    const auto set = [&](QPalette::ColorRole role, const QColor& normal, const QColor& disabled) {
        p.setColor(QPalette::Active, role, normal);
        p.setColor(QPalette::Inactive, role, normal);
        p.setColor(QPalette::Disabled, role, disabled);
    };
    set(QPalette::Window, look[Role::window], look[Role::window]);
    set(QPalette::WindowText, look[Role::text], look[Role::textTertiary]);
    set(QPalette::Base, look[Role::field], look[Role::derivedField]);
    set(QPalette::AlternateBase, look[Role::header], look[Role::header]);
    set(QPalette::Text, look[Role::text], look[Role::textTertiary]);
    set(QPalette::PlaceholderText, look[Role::textTertiary], look[Role::textTertiary]);
    set(QPalette::Button, look[Role::panel], look[Role::window]);
    set(QPalette::ButtonText, look[Role::text], look[Role::textTertiary]);
    set(QPalette::BrightText, look[Role::error], look[Role::error]);
    set(QPalette::Highlight, look[Role::selection], look[Role::selection]);
    set(QPalette::HighlightedText, look[Role::text], look[Role::textTertiary]);
    set(QPalette::ToolTipBase, look[Role::text], look[Role::text]);
    set(QPalette::ToolTipText, look[Role::panel], look[Role::panel]);
    set(QPalette::Link, look[Role::accent], look[Role::textTertiary]);
    set(QPalette::LinkVisited, look[Role::accent], look[Role::textTertiary]);
    set(QPalette::Light, look[Role::panel], look[Role::panel]);
    set(QPalette::Midlight, look[Role::header], look[Role::header]);
    set(QPalette::Mid, look[Role::separator], look[Role::separator]);
    set(QPalette::Dark, look[Role::controlOutline], look[Role::controlOutline]);
    set(QPalette::Shadow, look[Role::controlOutline], look[Role::controlOutline]);
    return p;
}

void restyle(QWidget* widget, const char* property, const QVariant& value)
{
    widget->setProperty(property, value);
    restyle(widget);
}

void restyle(QWidget* widget)
{
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
    widget->update();
}

} // namespace prism::ui
