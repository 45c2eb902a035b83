/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Generates photos: writes COUNT JPEG files of sky, hills and grain into DIRECTORY. Size and compression are
 * those of a camera, and each file has an Exif date. Every run writes the same files.
 *
 *     photos DIRECTORY COUNT WIDTH HEIGHT
 */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <turbojpeg.h>

/* A fixed generator: rand() differs from library to library. */
static uint32_t grain(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 24;
}

static unsigned char shade(double value) {
    return value < 0 ? 0 : value > 255 ? 255 : (unsigned char)value;
}

static double ridge(double x, int photo, int hill) {
    return 0.35 + 0.18 * hill + 0.07 * sin(x * (2 + hill) + photo * 1.7) + 0.03 * sin(x * (9 + 4 * hill) + photo * 0.6);
}

static void paint(unsigned char *pixels, int width, int height, int photo) {
    uint32_t state = 12345u + (uint32_t)photo;
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) {
            const double x = 6.3 * column / width, y = (double)row / height;
            const double noise = (double)grain(&state) / 16 - 8;
            double red = 120 + 110 * y + 20 * sin(photo), green = 160 + 60 * y, blue = 240 - 60 * y;
            for (int hill = 0; hill < 3; hill++) {
                if (y > ridge(x, photo, hill)) {
                    red = 70 - 15 * hill + 40 * y;
                    green = 110 - 20 * hill + 30 * sin(40 * x + hill);
                    blue = 90 - 25 * hill;
                }
            }
            unsigned char *pixel = pixels + 3 * ((size_t)row * (size_t)width + (size_t)column);
            pixel[0] = shade(red + noise);
            pixel[1] = shade(green + noise);
            pixel[2] = shade(blue + noise);
        }
    }
}

/* One entry, the date: big-endian, as cameras write it. */
static size_t exif(unsigned char *segment, int photo) {
    static const unsigned char head[] = {0xFF, 0xE1, 0, 0, 'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8,
                                         0,    1,    1, 50, 0,   2,   0,   0,   0, 20, 0,   0,   0, 26, 0, 0, 0, 0};
    char date[21];
    snprintf(date, sizeof date, "2026:07:%02d 12:00:00", photo % 28 + 1);
    memcpy(segment, head, sizeof head);
    memcpy(segment + sizeof head, date, 20);
    segment[3] = (unsigned char)(sizeof head + 20 - 2);
    return sizeof head + 20;
}

static int store(const char *directory, int photo, const unsigned char *jpeg, unsigned long size) {
    char path[4096];
    unsigned char segment[64];
    const size_t length = exif(segment, photo);
    snprintf(path, sizeof path, "%s/IMG_%04d.jpg", directory, photo);
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    /* Follows the first two bytes of every JPEG file. */
    const int ok = fwrite(jpeg, 2, 1, file) == 1 && fwrite(segment, length, 1, file) == 1
                   && fwrite(jpeg + 2, size - 2, 1, file) == 1;
    return fclose(file) == 0 && ok ? 0 : 1;
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: photos DIRECTORY COUNT WIDTH HEIGHT\n");
        return 2;
    }
    const int photos = atoi(arguments[2]), width = atoi(arguments[3]), height = atoi(arguments[4]);
    unsigned char *pixels = malloc(3 * (size_t)width * (size_t)height);
    tjhandle encoder = tjInitCompress();
    int status = pixels == NULL || encoder == NULL;
    for (int photo = 1; photo <= photos && status == 0; photo++) {
        unsigned char *jpeg = NULL;
        unsigned long size = 0;
        paint(pixels, width, height, photo);
        status = tjCompress2(encoder, pixels, width, 0, height, TJPF_RGB, &jpeg, &size, TJSAMP_444, 97, 0) != 0
                 || store(arguments[1], photo, jpeg, size) != 0;
        tjFree(jpeg);
    }
    tjDestroy(encoder);
    free(pixels);
    return status;
}
