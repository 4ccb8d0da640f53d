// SPDX-License-Identifier: GPL-3.0-or-later
// Files may be dropped on every part of the window: charts, tables and fields leave them to it.
#include "tests/ui/window_fixture.h"
#include "ui/distribution/distributionpage.h"
#include "ui/look/wholefile.h"
#include "ui/window/importdialog.h"

#include <QDropEvent>
#include <QLineEdit>
#include <QMimeData>

#include <sys/stat.h>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

class Dropping : public WindowTest {
protected:
    Dropping() { m_files.setUrls({QUrl::fromLocalFile(folder.filePath(u"scenario.json"_s))}); }
    /// What Qt asks first: the part under the pointer, then those around it.
    [[nodiscard]] bool takes(QWidget& part, QPoint at)
    {
        QDragEnterEvent enter(at, Qt::CopyAction, &m_files, Qt::LeftButton, Qt::NoModifier);
        enter.ignore();
        QApplication::sendEvent(&part, &enter);
        return enter.isAccepted();
    }
    void drop(QWidget& part, QPoint at)
    {
        ASSERT_TRUE(takes(part, at));
        QDropEvent event(at, Qt::CopyAction, &m_files, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&part, &event);
    }

    QMimeData m_files;
};

TEST_F(Dropping, EveryPartLeavesFilesToTheWindow)
{
    auto window = smallWindow();
    constexpr int kAcross = 24, kDown = 18;
    for (Page* page : window->pages().pages()) {
        window->pages().showPage(page->id());
        QTest::qWait(5);
        for (int i = 0; i < kAcross * kDown; ++i) {
            const QPoint at(window->width() * (2 * (i % kAcross) + 1) / (2 * kAcross),
                            window->height() * (2 * (i / kAcross) + 1) / (2 * kDown));
            QWidget* part = window->childAt(at);
            ASSERT_NE(part, nullptr);
            EXPECT_TRUE(takes(*part, part->mapFrom(window.get(), at)))
                << page->id().toStdString() << ": " << part->metaObject()->className() << " at " << at.x() << ", " << at.y();
        }
    }
    for (QLineEdit* field : window->findChildren<QLineEdit*>())
        EXPECT_FALSE(field->acceptDrops()) << field->accessibleName().toStdString() << " would take the file's name as text";
}

TEST_F(Dropping, AScenarioOnTheCurvesNeedsAConfirmation)
{
    auto window = smallWindow();
    Scenario other = smallScenario("dropped");
    other.training.globalBatchSize = 64;
    QFile file(folder.filePath(u"scenario.json"_s));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(toJson(other)));
    file.close();
    auto* page = static_cast<DistributionPage*>(window->pages().current());
    const QPoint middle = page->chart().rect().center();
    QWidget* part = page->chart().childAt(middle);
    ASSERT_NE(part, nullptr);
    drop(*part, part->mapFrom(&page->chart(), middle));
    auto* dialog = window->findChild<ImportDialog*>();
    ASSERT_NE(dialog, nullptr) << "the curves ignored the file";
    EXPECT_EQ(dialog->scenario()->name, "dropped");
    dialog->reject();
}

TEST_F(Dropping, APipeWithoutAWriterIsNotWaitedFor)
{
    auto window = smallWindow();
    const QString pipe = folder.filePath(u"scenario.json"_s);
    ASSERT_EQ(mkfifo(qPrintable(pipe), 0600), 0);
    window->openDropped(pipe);
    EXPECT_FALSE(window->findChild<QWidget*>(u"banner"_s)->isHidden());
}

TEST_F(Dropping, AScenarioInUtf16IsReadAsByTheCommandLine)
{
    auto window = smallWindow();
    const QString text = QString::fromStdString(toJson(smallScenario("wide")));
    QByteArray wide("\xff\xfe", 2); // the byte-order mark
    wide.append(reinterpret_cast<const char*>(text.utf16()), 2 * text.size());
    const QString path = folder.filePath(u"scenario.json"_s);
    ASSERT_EQ(writeWholeFile(path, wide), QString());
    window->openDropped(path);
    auto* dialog = window->findChild<ImportDialog*>();
    ASSERT_NE(dialog, nullptr);
    ASSERT_TRUE(dialog->scenario());
    EXPECT_EQ(dialog->scenario()->name, "wide");
    dialog->reject();
}

} // namespace prism::ui::test
