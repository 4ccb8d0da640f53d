// SPDX-License-Identifier: GPL-3.0-or-later
// A layout that puts its items in a row and wraps where the width ends.
#pragma once

#include <QLayout>
#include <QList>

namespace prism::ui {

/// Lines have half the spacing between them. Items keep the size of their hints, centred on their line; those aligned to the right are
/// at its end, one that is justified takes what the others of its line leave.
class FlowLayout final : public QLayout {
    Q_OBJECT
public:
    explicit FlowLayout(QWidget* parent = nullptr) : QLayout(parent) {}
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override { m_items << item; }
    [[nodiscard]] int count() const override { return static_cast<int>(m_items.size()); }
    [[nodiscard]] QLayoutItem* itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem* takeAt(int index) override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override; ///< all on one line
    [[nodiscard]] QSize minimumSize() const override;
    void setGeometry(const QRect& whole) override;

private:
    [[nodiscard]] QSize around() const; ///< both margins
    /// The width that an item gets in its line.
    [[nodiscard]] int widthIn(const QList<QLayoutItem*>& line, const QLayoutItem& item, int width) const;
    /// Lines of items that fit into a width.
    [[nodiscard]] QList<QList<QLayoutItem*>> lines(int width) const;

    QList<QLayoutItem*> m_items;
};

} // namespace prism::ui
