/* A source as a cut sees it. */
#include <string.h>

#include "budget/view.h"
#include "abridge.h"
#include "budget/span.h"

uint64_t abr_view_line_size(const abr_view *view, abr_side side)
{
    uint64_t known = side == ABR_FRONT ? view->first_line : view->last_line;
    if (known != ABR_UNLIMITED)
        return known;
    return abr_line_size(side == ABR_FRONT ? &view->front : &view->back, side);
}
