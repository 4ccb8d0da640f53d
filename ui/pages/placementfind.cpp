// SPDX-License-Identifier: GPL-3.0-or-later
// Finding a node of the Placement page by its name.
#include "ui/look/format.h"
#include "ui/pages/placementpage.h"

#include <QLabel>
#include <QLineEdit>

#include <algorithm>

namespace prism::ui {

using namespace Qt::StringLiterals;

void PlacementPage::findNodes()
{
    const QString words = m_find->text().trimmed();
    m_found.clear();
    const SnapshotPtr s = snapshot();
    const auto nodes = s && s->costed ? static_cast<int>(s->costed->world.nodes) : 0;
    for (int node = 0; node < nodes && !words.isEmpty(); ++node)
        if (nodeName(node, m_hosts).contains(words, Qt::CaseInsensitive))
            m_found.push_back(node);
    m_hits->setVisible(!words.isEmpty());
    m_hits->setText(tr("%1 of %2").arg(format::count(static_cast<std::int64_t>(m_found.size())), format::count(nodes)));
}

void PlacementPage::showNextFound()
{
    const auto after = std::upper_bound(m_found.begin(), m_found.end(), m_shownNode);
    if (m_found.empty())
        return;
    m_shownNode = after != m_found.end() ? *after : m_found.front();
    m_map->setFocusItem(m_shown.cellOfNode(m_shownNode));
}

} // namespace prism::ui
