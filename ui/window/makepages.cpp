#include "ui/distribution/distributionpage.h"
#include "ui/window/mainwindow.h"

namespace prism::ui {

QList<Page*> makePages(const Theme& theme, ChangesCache& cache)
{
    return {new DistributionPage(theme, cache)};
}

} // namespace prism::ui
