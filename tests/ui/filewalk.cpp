// SPDX-License-Identifier: GPL-3.0-or-later
// Random walks of opens, saves and failures over a few files, against a model of what each file must contain.
#include "core/study/faultvfs.h"
#include "tests/ui/studies.h"
#include "ui/model/studyfile.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <sqlite3.h>

#include <map>
#include <random>

using namespace Qt::Literals::StringLiterals;

namespace prism::ui::test {

namespace {

StudyState withBatch(int batch)
{
    static const Scenario kBase = smallScenario("base");
    StudyState state;
    Scenario s = kBase;
    s.training.globalBatchSize = batch;
    state.entries.push_back({1, std::make_shared<const Scenario>(s), 0, true, false});
    state.baselineId = 1;
    return state;
}

int batchOf(const OpenedStudy& study)
{
    return static_cast<int>(study.state.entries.front().scenario->training.globalBatchSize);
}

/// One window's file, another program, a disk that fails, and the model: what each file held when it was reported as stored.
class FileWalk {
public:
    explicit FileWalk(unsigned seed) : m_random(seed)
    {
        QDir(m_root.path()).mkdir(u"walk"_s);
        for (int i = 0; i < 2; ++i) { // foreign files
            StudyFile other;
            EXPECT_TRUE(other.create(at(i)).empty());
            other.save(withBatch(++m_value), 1, {});
            EXPECT_TRUE(other.flush());
            m_stored[at(i)] = m_value;
        }
        Result<Study> blank = Study::create(at(2).toStdString());
        EXPECT_TRUE(blank.ok());
        m_stored[at(2)] = kBlank;
    }
    ~FileWalk() { study_test::disarm(); }

    void step()
    {
        const QString path = at(pick(kFiles)), before = m_file.path();
        const bool owned = ownsFile(m_file.status());
        bool done = true; // what changes the file of the window
        switch (pick(9)) {
        case 0:
        case 1:
            edit(pick(2) == 0);
            break;
        case 2:
            done = open(path);
            break;
        case 3:
            done = saveAs(path);
            break;
        case 4:
            done = create(path);
            break;
        case 5:
            hold(path);
            break;
        case 6:
            m_isFull = !m_isFull;
            break;
        case 7:
            moveFile(path);
            break;
        default:
            moveFolder();
            break;
        }
        if (!done) {
            EXPECT_EQ(m_file.path(), before) << "a failure changes the file";
            EXPECT_EQ(ownsFile(m_file.status()), owned) << "a failure changes who may write";
        }
        check();
    }
    /// Everything works again: the edits on screen are stored, or a place for them is found.
    void end()
    {
        m_isFull = false;
        m_holder.reset();
        if (m_isFolderMoved)
            moveFolder();
        for (int i = 0; i < kFiles; ++i)
            if (QFile::exists(at(i) + u"-away"_s))
                moveFile(at(i));
        study_test::disarm();
        edit(true);
        if (m_file.status() != FileStatus::saved) {
            const QString fresh = m_root.filePath(u"fresh.prism"_s);
            EXPECT_FALSE(hasErrors(m_file.saveAs(fresh, withBatch(m_screen), 1, {})));
            EXPECT_TRUE(m_file.flush());
            m_stored[fresh] = m_screen;
        }
        check();
        EXPECT_EQ(m_file.status(), FileStatus::saved);
        QStringList names = QDir(m_root.filePath(u"walk"_s)).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
        names.removeIf([](const QString& name) { return name.endsWith(u".prism") || name.endsWith(u"-away"); });
        EXPECT_TRUE(names.isEmpty()) << names.join(u' ').toStdString();
    }

private:
    static constexpr int kFiles = 5, kBlank = -1;

    int pick(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
    [[nodiscard]] QString at(int i) const { return m_root.filePath(u"walk/%1.prism"_s.arg(i)); }
    [[nodiscard]] bool isThere(const QString& path) const { return QFile::exists(path); }

    void armed(bool on)
    {
        if (on && m_isFull)
            study_test::arm({.operation = study_test::Operation::write, .at = 1, .forever = true, .code = SQLITE_FULL, .path = "walk/"});
        else
            study_test::disarm();
    }
    void acknowledge()
    {
        if (m_file.status() == FileStatus::saved)
            m_stored[m_file.path()] = m_screen;
    }
    void edit(bool waits)
    {
        armed(true);
        if (m_screen == 0)
            return; // no study is shown
        m_screen = ++m_value;
        m_file.save(withBatch(m_screen), 1, {});
        if (waits) {
            const bool isOnDisk = m_file.flush();
            EXPECT_EQ(isOnDisk, !isUnsaved(m_file.status()));
            acknowledge();
        }
    }
    bool open(const QString& path)
    {
        armed(true);
        Result<ReadStudy> read = readStudy(path);
        (void)m_file.flush();
        acknowledge();
        if (!read || isUnsaved(m_file.status())) // as the window: it warns
            return false;
        Result<OpenedStudy> opened = m_file.adopt(std::move(read).value());
        if (!opened)
            return false;
        m_screen = batchOf(*opened);
        EXPECT_EQ(m_screen, m_stored[path]) << "what is opened is what was stored";
        if (m_file.isReadOnly()) // nothing is edited
            m_screen = 0;
        return true;
    }
    bool saveAs(const QString& path)
    {
        armed(true);
        if (m_screen == 0)
            return false;
        (void)m_file.flush();
        acknowledge();
        const bool wasThere = isThere(path);
        const Diagnostics found = m_file.saveAs(path, withBatch(m_screen), 1, {});
        const bool isStored = m_file.flush();
        if (!hasErrors(found) && isStored)
            m_stored[path] = m_screen;
        else if (!hasErrors(found)) // a copy of what the file had; the edit follows when there is room
            m_stored[path] = kUnknown;
        else
            EXPECT_EQ(isThere(path), wasThere);
        return !hasErrors(found);
    }
    bool create(const QString& path)
    {
        armed(true);
        (void)m_file.flush();
        acknowledge();
        if (isUnsaved(m_file.status()) || !m_file.create(path).empty())
            return false;
        m_stored[path] = kUnknown; // until the first edit is stored
        m_screen = ++m_value;
        m_file.save(withBatch(m_screen), 1, {});
        return true;
    }
    void hold(const QString& path)
    {
        m_holder.reset();
        if (path == m_file.path() || pick(2) == 0)
            return;
        if (Result<Study> study = Study::open(path.toStdString()); study.ok())
            m_holder = std::make_unique<Study>(std::move(study).value());
    }
    void moveFile(const QString& path)
    {
        (void)m_file.flush();
        acknowledge();
        m_holder.reset();
        const QString elsewhere = path + u"-away"_s;
        if (isThere(path) && !isThere(elsewhere) && QFile::rename(path, elsewhere))
            m_elsewhere[path] = m_stored[path];
        else if (!isThere(path) && QFile::rename(elsewhere, path))
            m_stored[path] = m_elsewhere[path];
    }
    void moveFolder()
    {
        (void)m_file.flush();
        acknowledge();
        m_holder.reset();
        const QString here = m_root.filePath(u"walk"_s), elsewhere = m_root.filePath(u"gone"_s);
        m_isFolderMoved = !m_isFolderMoved;
        EXPECT_TRUE(QDir().rename(m_isFolderMoved ? here : elsewhere, m_isFolderMoved ? elsewhere : here));
    }
    /// Each file holds what was acknowledged, and "saved" is true.
    void check()
    {
        study_test::disarm();
        for (const auto& [path, value] : m_stored) {
            if (!isThere(path) || path == m_file.path() || value == kUnknown)
                continue;
            const Result<ReadStudy> read = readStudy(path, StudyAccess::readOnly);
            if (value == kBlank)
                EXPECT_FALSE(read.ok()) << path.toStdString();
            else if (read.ok())
                EXPECT_EQ(batchOf(read->content), value) << path.toStdString() << ": no foreign file is changed";
            else
                ADD_FAILURE() << path.toStdString() << " cannot be read: " << read.errors().front().message;
        }
        if (m_file.status() == FileStatus::saved && isThere(m_file.path()) && m_screen != 0) {
            const Result<ReadStudy> read = readStudy(m_file.path(), StudyAccess::readOnly);
            ASSERT_TRUE(read.ok());
            EXPECT_EQ(batchOf(read->content), m_screen) << "what is called saved is on disk";
        }
    }

    static constexpr int kUnknown = -2;
    std::mt19937 m_random;
    QTemporaryDir m_root;
    StudyFile m_file;
    std::unique_ptr<Study> m_holder;
    std::map<QString, int> m_stored, m_elsewhere;
    int m_value = 1000, m_screen = 0;
    bool m_isFull = false, m_isFolderMoved = false;
};

} // namespace

TEST(FileWalk, NoAcknowledgedEditIsLostAndNoForeignFileIsChanged)
{
    sqlite3_vfs_register(sqlite3_vfs_find(study_test::faultVfs()), 1);
    for (unsigned seed = 1; seed <= 8; ++seed) {
        FileWalk walk(seed);
        for (int i = 0; i < 50 && !::testing::Test::HasFailure(); ++i) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", step " << i);
            walk.step();
        }
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", end");
        walk.end();
    }
    sqlite3_vfs_register(sqlite3_vfs_find("unix"), 1);
}

} // namespace prism::ui::test
