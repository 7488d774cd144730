/* Shallow liquid in real time on any terrain: the C interface of whitecap-pipes.
 *
 * Lengths in metres, times in seconds, volumes in cubic metres; y is up. Every function that can fail
 * returns a status; when it is not WHITECAP_PIPES_OK, nothing has changed, and
 * whitecap_pipes_last_error() says what was wrong. One liquid must not be used from two threads at the
 * same time.
 *
 * Made from the Rust sources of whitecap-pipes-c; do not edit. */
#ifndef WHITECAP_PIPES_H
#define WHITECAP_PIPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended. */
typedef enum WhitecapPipesStatus {
    /* Everything was done. */
    WHITECAP_PIPES_OK = 0,
    /* A required pointer is null, or is not aligned for what it should point to. */
    WHITECAP_PIPES_BAD_POINTER = 1,
    /* An array does not have the number of entries that the grid needs. */
    WHITECAP_PIPES_WRONG_SIZE = 2,
    /* A value is out of range or not a number. */
    WHITECAP_PIPES_BAD_VALUE = 3,
    /* The terrain is impossible: a height is not finite, or spaces overlap. */
    WHITECAP_PIPES_BAD_TERRAIN = 4,
    /* An internal error occurred; destroy the liquid and create a new one. */
    WHITECAP_PIPES_BROKEN = 5,
} WhitecapPipesStatus;

/* Settings of a liquid. Begin with whitecap_pipes_default_settings(). Lengths in metres, times in
 * seconds; y is up. */
typedef struct WhitecapPipesSettings {
    /* Low corner of the grid along x. */
    float origin_x;
    /* Low corner of the grid along z. */
    float origin_z;
    /* Size of a cell. */
    float cell;
    /* Cells along x. */
    uint32_t width;
    /* Cells along z. */
    uint32_t length;
    /* Acceleration of gravity in m/s². */
    float gravity;
    /* Kinematic viscosity in m²/s: 0.000001 for water, 0.000004 for blood. */
    float viscosity;
    /* Fraction of the flow that is left after one second without a force, 0 to 1. */
    float retained;
    /* Longest time step; 0 chooses one that suits the cells. */
    float time_step;
    /* 0: virtual pipes; 1: shallow-water equations. */
    uint32_t solver;
    /* Cross-section of a pipe. 0: cell × depth, the physical one; 1: cell × cell, as in the paper. */
    uint32_t pipe_area;
    /* Passages full up to their ceiling. 0: one pipe joins all gateways; 1: pipes along the axes; 2: no
     * flow. */
    uint32_t passages;
    /* Edges of the grid. 0: walls; 1: open, liquid is drained there. */
    uint32_t edges;
    /* 1 if liquid that falls far becomes drops, 0 if it arrives immediately. */
    uint32_t falling_drops;
    /* Fall height from which liquid becomes drops; 0: two cells. */
    float fall_height;
    /* Largest number of drops in the air. */
    uint32_t most_drops;
    /* However shallow the liquid, its surface is at least this many cells above the ground. */
    float least_thickness;
    /* Depth from which the liquid is opaque. */
    float opaque_depth;
    /* Contact angle of the meniscus in degrees: below 90 the liquid climbs a wall. */
    float contact_angle;
    /* How far the meniscus reaches; 0: no meniscus. */
    float meniscus_length;
} WhitecapPipesSettings;

/* A place where liquid is added or removed. */
typedef struct WhitecapPipesSource {
    /* Where: x, y and z. The height chooses the layer. */
    float position[3];
    /* Columns within this distance are affected; the nearest one always is. */
    float radius;
    /* Volume per second in m³/s. */
    double rate;
} WhitecapPipesSource;

/* The surface of the liquid: buffers that stay valid until the next call with the same liquid. */
typedef struct WhitecapPipesSurface {
    /* Three numbers for each vertex: x, y, z. */
    const float *positions;
    /* Three numbers for each vertex: the unit normal, bent by the meniscus. */
    const float *normals;
    /* One number for each vertex, 0 to 1. */
    const float *opacity;
    /* Number of vertices. Some may belong to no triangle. */
    size_t vertex_count;
    /* Three vertices for each triangle, counter-clockwise seen from above. */
    const uint32_t *indices;
    /* Number of indices: three times the number of triangles. */
    size_t index_count;
} WhitecapPipesSurface;

/* The columns of liquid, cell after cell (rows along x, then z), and within a cell from bottom to top:
 * buffers that stay valid until the next call with the same liquid. */
typedef struct WhitecapPipesColumns {
    /* The cell of each column: x + z × width. */
    const uint32_t *cells;
    /* Height of the ground of each column. */
    const float *floors;
    /* Height of the solid above each column; infinity under the open sky. */
    const float *ceilings;
    /* Depth of the liquid in each column. */
    const double *depths;
    /* Number of columns. */
    size_t count;
} WhitecapPipesColumns;

/* The state of a liquid in numbers, in cubic metres and seconds. */
typedef struct WhitecapPipesReport {
    /* Time since the beginning. */
    double time;
    /* Current volume, in columns and in drops. */
    double volume;
    /* Volume of drops in the air. */
    double in_the_air;
    /* Volume added since the beginning. */
    double poured;
    /* Volume removed since the beginning. */
    double drained;
    /* Volume that should be there but is not, relative to what was poured: rounding alone. */
    double relative_error;
} WhitecapPipesReport;

/* A shallow liquid on a terrain. */
typedef struct WhitecapPipes WhitecapPipes;

/* Settings that suit water on a grid of 10 cm × 10 cm in cells of a millimetre. */
WhitecapPipesSettings whitecap_pipes_default_settings(void);

/* Creates a liquid on flat, dry terrain at height 0 and writes it to *pipes; writes null if that
 * fails. */
WhitecapPipesStatus whitecap_pipes_create(const WhitecapPipesSettings *settings, WhitecapPipes **pipes);

/* Frees a liquid and all its buffers. Null is allowed. */
void whitecap_pipes_destroy(WhitecapPipes *pipes);

/* Changes the settings; the liquid stays as it is. The grid must be the same. */
WhitecapPipesStatus whitecap_pipes_set_settings(WhitecapPipes *pipes, const WhitecapPipesSettings *settings);

/* Replaces all sources and all drains. An array without entries may be null. */
WhitecapPipesStatus whitecap_pipes_set_sources(WhitecapPipes *pipes, const WhitecapPipesSource *sources, size_t source_count, const WhitecapPipesSource *drains, size_t drain_count);

/* Sets the terrain to one height for each cell, row after row along x. Liquid stays in its cell. */
WhitecapPipesStatus whitecap_pipes_set_heights(WhitecapPipes *pipes, const float *heights, size_t count);

/* Sets the terrain to layers: counts says how many spaces each cell has, row after row along x;
 * floors and ceilings list the spaces of one cell after another, each cell's from bottom to
 * top. A ceiling of infinity is the open sky; a cell without a space is solid. */
WhitecapPipesStatus whitecap_pipes_set_layers(WhitecapPipes *pipes, const uint32_t *counts, size_t cell_count, const float *floors, const float *ceilings, size_t space_count);

/* Sets the depth of liquid in every column, in the order of whitecap_pipes_columns; more than a
 * column can hold is reduced to that. The liquid is then at rest. */
WhitecapPipesStatus whitecap_pipes_fill(WhitecapPipes *pipes, const double *depths, size_t count);

/* Pours volume cubic metres on all columns within radius of a point, whose height chooses the
 * layer. The volume that found room is written to *poured, unless that is null. */
WhitecapPipesStatus whitecap_pipes_pour(WhitecapPipes *pipes, float x, float y, float z, float radius, double volume, double *poured);

/* Wipes up to volume cubic metres away within radius of a point; infinity wipes it dry. The
 * volume that was removed is written to *wiped, unless that is null. */
WhitecapPipesStatus whitecap_pipes_wipe(WhitecapPipes *pipes, float x, float y, float z, float radius, double volume, double *wiped);

/* Lowers the ground by depth at a point, falling off smoothly to radius; a negative depth raises
 * it. Liquid is kept. */
WhitecapPipesStatus whitecap_pipes_carve(WhitecapPipes *pipes, float x, float y, float z, float radius, float depth);

/* One time step of duration seconds. */
WhitecapPipesStatus whitecap_pipes_step(WhitecapPipes *pipes, double duration);

/* Advances by duration seconds, in equal steps no longer than the setting allows. The number of
 * steps is written to *steps, unless that is null. */
WhitecapPipesStatus whitecap_pipes_advance(WhitecapPipes *pipes, double duration, size_t *steps);

/* Writes the current volume, and what was added and removed, to *report. */
WhitecapPipesStatus whitecap_pipes_report(WhitecapPipes *pipes, WhitecapPipesReport *report);

/* Writes the volume of all liquid in cubic metres, drops included, to *volume. */
WhitecapPipesStatus whitecap_pipes_volume(WhitecapPipes *pipes, double *volume);

/* Makes the surface and writes the addresses of its buffers to *surface. eye is null, or the
 * position x, y, z of the viewer: then the meniscus bends no normal so far that it points away. */
WhitecapPipesStatus whitecap_pipes_surface(WhitecapPipes *pipes, const float *eye, WhitecapPipesSurface *surface);

/* Writes the addresses of the buffers of the columns to *columns. */
WhitecapPipesStatus whitecap_pipes_columns(WhitecapPipes *pipes, WhitecapPipesColumns *columns);

/* What was wrong with the last call of this thread that did not return OK: a sentence in UTF-8,
 * empty if there was none. Valid until the next call of this thread that does not return OK. */
const char *whitecap_pipes_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
