// SPDX-License-Identifier: GPL-3.0-or-later
// A log that is still being written: new steps compared with the predicted distribution, with the alarms of core, off the GUI thread.
#pragma once

#include "core/engine/evaluator.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>

namespace prism::ui {

/// The steps and alarms since the last look.
struct LogAdvance {
    std::string text;   ///< the whole log so far
    int steps = 0;      ///< that were followed so far
    QString sentence;   ///< where the last step is
    QStringList alarms; ///< new ones
};

/// GUI thread only; its thread looks at the file every kFollowMs. Stops with its destruction.
class FollowedLog final : public QObject {
    Q_OBJECT
public:
    explicit FollowedLog(QObject* parent = nullptr);
    ~FollowedLog() override;

    void start(const QString& path, const SnapshotPtr& predicted); ///< from the beginning of the file
    void stop();
    [[nodiscard]] bool isRunning() const { return m_worker != nullptr; }

Q_SIGNALS:
    void advanced(const prism::ui::LogAdvance& news);

private:
    struct Worker;
    std::unique_ptr<Worker> m_worker;
};

inline constexpr int kFollowMs = 500;

} // namespace prism::ui
