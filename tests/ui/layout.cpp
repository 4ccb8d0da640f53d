// SPDX-License-Identifier: GPL-3.0-or-later
// What finds texts that are cut or painted over finds them; slow_layout.cpp looks at every page, size, mode and dialog.
#include "tests/ui/layout_fixture.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>

namespace prism::ui::test {

TEST_F(LayoutTest, FindsWhatItLooksFor)
{
    QWidget window;
    window.resize(300, 100);
    const auto label = [&window](const QString& text, QRect place) {
        auto* made = new QLabel(text, &window);
        made->setGeometry(place);
        return made;
    };
    label(u"One text"_s, {10, 10, 120, 20});
    label(u"Others"_s, {10, 60, 80, 20});
    window.show();
    defects.look(window, u"apart"_s);
    EXPECT_EQ(defects.count(), 0) << defects.text();
    label(u"Over it"_s, {20, 12, 120, 20})->show();
    label(u"Cut off by its place"_s, {150, 10, 40, 20})->show();
    label(u"Beyond"_s, {260, 60, 80, 20})->show();
    defects.look(window, u"together"_s);
    for (const char* found : {"\"One text\" and \"Over it\"", "\"Cut off by its place\" is cut", "\"Beyond\" is beyond"})
        EXPECT_NE(defects.text().find(found), std::string::npos) << found << " in\n" << defects.text();
    TextDevice device(QSize(200, 40));
    {
        QPainter painter(&device);
        painter.drawText(QPointF(10, 20), u"Elided te…"_s);
        painter.drawText(QPointF(100, 20), u"Hidden"_s);
        painter.fillRect(QRect(95, 0, 20, 40), Qt::white);
    }
    defects.lookAtPaper(device.texts(), {200, 40}, u"paper"_s);
    EXPECT_NE(defects.text().find("\"Elided te…\" is shortened"), std::string::npos) << defects.text();
    EXPECT_NE(defects.text().find("\"Hidden\" is painted over"), std::string::npos) << defects.text();
}

TEST_F(LayoutTest, TakesAWritersEllipsisForWhatItIs)
{
    QWidget window;
    window.resize(400, 100);
    auto* open = new QPushButton(u"Open a trace…"_s, &window);
    open->setGeometry(10, 5, 150, 24);
    const auto write = [&window](const QString& text, int y) {
        auto* label = new QLabel(text, &window);
        label->setGeometry(10, y, 380, 20);
        label->show();
    };
    write(u"Choose it with File, Open a trace…. PP 2 … 16"_s, 35);
    write(u"compared with Großrechenzentr…"_s, 55);
    window.show();
    defects.look(window, u"own"_s);
    EXPECT_EQ(defects.count(), 0) << defects.text();
    write(u"Choose it with File, Open a tr…"_s, 75);
    defects.look(window, u"shortened"_s);
    EXPECT_NE(defects.text().find("Open a tr…\" is shortened"), std::string::npos) << defects.text();
}

TEST_F(LayoutTest, TakesTheEdgeOfAViewForAPlaceToScroll)
{
    QWidget window;
    window.resize(200, 100);
    auto* area = new QScrollArea(&window);
    area->setFrameShape(QFrame::NoFrame);
    area->setGeometry(0, 0, 200, 50);
    auto* rows = new QWidget;
    rows->resize(180, 200);
    const auto write = [](const QString& text, QWidget* on, int y) { (new QLabel(text, on))->setGeometry(10, y, 150, 20); };
    write(u"One row"_s, rows, 10);
    write(u"Half a row"_s, rows, 40);
    area->setWidget(rows);
    auto* bar = new QWidget(&window); // a label would be transparent
    bar->setAutoFillBackground(true);
    write(u"The bar beneath"_s, bar, 5);
    bar->setGeometry(0, 50, 200, 30);
    window.show();
    defects.look(window, u"beneath"_s);
    EXPECT_EQ(defects.count(), 0) << defects.text();
    bar->setGeometry(0, 20, 200, 30); // over what the view shows
    defects.look(window, u"over it"_s);
    EXPECT_NE(defects.text().find("\"One row\" is painted over"), std::string::npos) << defects.text();
}

} // namespace prism::ui::test
