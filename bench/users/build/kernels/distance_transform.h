/* Written by liftgen, which may write it again. */
/* distance_transform: arrays are stored row by row unless said otherwise, are fastest at multiples of 64 bytes, and do not
 * overlap. Returns 0, or 1
 * where there is no memory for what threads keep in between: then nothing has been computed.
 *
 *   image      int [1500][2000], read
 *   distance   int [1500][2000], read and written: result 1 of 2
 *   farthest   int [1], written: result 2 of 2
 *   work1      int [1500][2000], read and written: for intermediate values
 *   work2      int [1500][2000], read and written: for intermediate values
 */
#ifndef DISTANCE_TRANSFORM_H
#define DISTANCE_TRANSFORM_H

#ifdef __cplusplus
extern "C" {
#endif

int distance_transform(const int *image, int *distance, int *farthest, int *work1, int *work2);

#ifdef __cplusplus
}
#endif

#endif
