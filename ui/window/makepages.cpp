// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution/distributionpage.h"
#include "ui/pages/pipelinepage.h"
#include "ui/pages/placementpage.h"
#include "ui/pages/scalepage.h"
#include "ui/pages/sensitivitypage.h"
#include "ui/window/mainwindow.h"

namespace prism::ui {

QList<Page*> makePages(const Theme& theme, ChangesCache& cache)
{
    return {new DistributionPage(theme, cache), new SensitivityPage(theme), new PlacementPage(theme), new PipelinePage(theme),
            new ScalePage(theme)};
}

} // namespace prism::ui
