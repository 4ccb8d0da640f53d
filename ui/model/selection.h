// SPDX-License-Identifier: GPL-3.0-or-later
// The selection that all views of the application share: an item picked in one view is highlighted in all of them.
#pragma once

#include <QObject>
#include <QString>

namespace prism::ui {

/// The picked items. Empty text and -1 mean "nothing picked of this kind". A plain value.
struct Picked {
    QString kernelClass; ///< name of a kernel class ("dp.all_gather") or an input ("spatial")
    int stage = -1;      ///< pipeline stage
    int replica = -1;    ///< data-parallel replica
    int node = -1;       ///< physical node
    int scenario = -1;   ///< id of a scenario of the study
    bool operator==(const Picked&) const = default;
};

/// GUI thread only. Views set what they know and leave the rest; everybody listens to one signal.
class Selection final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    // change it
    void set(const Picked& picked);
    void setKernelClass(const QString& name);
    void setCell(int stage, int replica);
    void setNode(int node);
    void setScenario(int id);
    void clear() { set({}); }

    // look at it
    [[nodiscard]] const Picked& picked() const { return m_picked; }

Q_SIGNALS:
    void changed();

private:
    Picked m_picked;
};

} // namespace prism::ui
