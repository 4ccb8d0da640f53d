// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/selection.h"

namespace prism::ui {

void Selection::set(const Picked& picked)
{
    if (picked == m_picked)
        return;
    m_picked = picked;
    Q_EMIT changed();
}

void Selection::setKernelClass(const QString& name)
{
    Picked next = m_picked;
    next.kernelClass = name;
    set(next);
}

void Selection::setCell(int stage, int replica)
{
    Picked next = m_picked;
    next.stage = stage;
    next.replica = replica;
    set(next);
}

void Selection::setNode(int node)
{
    Picked next = m_picked;
    next.node = node;
    set(next);
}

void Selection::setScenario(int id)
{
    Picked next = m_picked;
    next.scenario = id;
    set(next);
}

} // namespace prism::ui
