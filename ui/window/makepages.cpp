// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/distribution/distributionpage.h"
#include "ui/explore/explorepage.h"
#include "ui/job/jobpage.h"
#include "ui/moves/movespage.h"
#include "ui/pages/pipelinepage.h"
#include "ui/pages/placementpage.h"
#include "ui/pages/scalepage.h"
#include "ui/pages/sensitivitypage.h"
#include "ui/validate/tracepage.h"
#include "ui/validate/validatepage.h"
#include "ui/window/mainwindow.h"

namespace prism::ui {

QList<Page*> makePages(const Theme& theme, ChangesCache& cache)
{
    return {new DistributionPage(theme, cache),
            new SensitivityPage(theme),
            new PlacementPage(theme),
            new PipelinePage(theme),
            new MovesPage(theme),
            new ExplorePage(theme),
            new ScalePage(theme),
            new JobPage(theme),
            new ValidatePage(theme),
            new TracePage(theme)};
}

} // namespace prism::ui
