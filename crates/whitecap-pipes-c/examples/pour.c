/* Water is poured into a bowl with a ridge across it, second by second, until it spills over.
 *
 *   cargo build --release -p whitecap-pipes-c
 *   cc -I crates/whitecap-pipes-c/include crates/whitecap-pipes-c/examples/pour.c \
 *      target/release/libwhitecap_pipes_c.a -lm -lpthread -ldl -o pour && ./pour
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "whitecap_pipes.h"

enum { WIDTH = 120, LENGTH = 80 };

/* Exits with a message about what went wrong. */
static void must(WhitecapPipesStatus status)
{
    if (status != WHITECAP_PIPES_OK) {
        fprintf(stderr, "error %d: %s\n", (int)status, whitecap_pipes_last_error());
        exit(1);
    }
}

/* Height of the ground: an oval bowl of 12 mm, with a ridge of 5 mm across it. */
static float ground(int x, int z)
{
    float along = (float)x / WIDTH - 0.5f, across = (float)z / LENGTH - 0.5f;
    float bowl = 0.048f * (along * along + across * across);
    float ridge = 0.005f * expf(-400.0f * along * along);
    return bowl + ridge;
}

/* How many columns of one half hold liquid. */
static size_t wet_columns(WhitecapPipes *pipes, int is_right_half)
{
    WhitecapPipesColumns columns;
    size_t column, count = 0;
    must(whitecap_pipes_columns(pipes, &columns));
    for (column = 0; column < columns.count; column++) {
        int is_right = columns.cells[column] % WIDTH >= WIDTH / 2;
        count += is_right == is_right_half && columns.depths[column] > 1e-5;
    }
    return count;
}

int main(void)
{
    static float heights[WIDTH * LENGTH];
    WhitecapPipesSettings settings = whitecap_pipes_default_settings();
    WhitecapPipesSurface surface;
    WhitecapPipes *pipes = NULL;
    const float eye[3] = { 0.06f, 0.2f, 0.2f };
    double volume = 0.0;
    int x, z, second;

    settings.width = WIDTH;
    settings.length = LENGTH;
    must(whitecap_pipes_create(&settings, &pipes));
    for (z = 0; z < LENGTH; z++)
        for (x = 0; x < WIDTH; x++)
            heights[z * WIDTH + x] = ground(x, z);
    must(whitecap_pipes_set_heights(pipes, heights, WIDTH * LENGTH));

    for (second = 1; second <= 6; second++) {
        int frame;
        for (frame = 0; frame < 60; frame++) {
            must(whitecap_pipes_pour(pipes, 0.03f, 0.0f, 0.04f, 0.004f, 2e-6 / 60, NULL));
            must(whitecap_pipes_advance(pipes, 1.0 / 60.0, NULL));
        }
        must(whitecap_pipes_volume(pipes, &volume));
        must(whitecap_pipes_surface(pipes, eye, &surface));
        printf("%d s: %.1f ml, %lu triangles, wet columns: %lu left, %lu right\n", second,
               1e6 * volume, (unsigned long)(surface.index_count / 3),
               (unsigned long)wet_columns(pipes, 0), (unsigned long)wet_columns(pipes, 1));
    }

    /* Impossible values are refused with a code and a sentence. */
    if (whitecap_pipes_step(pipes, NAN) != WHITECAP_PIPES_BAD_VALUE)
        return 1;
    printf("refused: %s\n", whitecap_pipes_last_error());
    whitecap_pipes_destroy(pipes);
    return 0;
}
