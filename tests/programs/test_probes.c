// SPDX-License-Identifier: Apache-2.0
// Texture samples counted by R while a frame is rendered.
#include "csim/gpu/render.h"
#include "tests/programs/test.h"

enum { Side = 20, TextureSide = 64 };

// Two triangles over the whole picture; u grows by `across` texels a pixel, v by 2 downwards.
static void render(double across, uint8_t anisotropy, bool anisotropic, shade_probes_t *probes) {
  static uint32_t texels[TextureSide * TextureSide];
  frame_texture_t texture = {TextureSide, TextureSide, 1, {texels}};
  frame_surface_t surface = {Side, Side};
  frame_vertex_t vertices[4];
  frame_triangle_t triangles[2] = {{{0, 1, 2}, 0}, {{1, 3, 2}, 1}};
  for (uint32_t i = 0; i < 4; i++) {
    const int32_t x = i & 1 ? Side : 0, y = i & 2 ? Side : 0;
    vertices[i] = (frame_vertex_t){
        .x = x * FrameSubpixel,
        .y = y * FrameSubpixel,
        .z = 100,
        .inv_w = 1,
        .rgba = 0xffffffff,
        .uv = {{(float)(x * across / TextureSide), (float)y * 2 / TextureSide}},
    };
  }
  const frame_rect_t all = {0, 0, Side, Side};
  frame_cmd_t draw = {.kind = FrameCmdDraw,
                      .triangles_in = 2,
                      .triangle_count = 2,
                      .state = {.depth_buffer = FrameNone,
                                .color_mask = 15,
                                .scissor = all,
                                .viewport = all,
                                .color = 0xffffffff,
                                .stages = {{.mag_filter = FrameFilterLinear,
                                            .min_filter = FrameFilterLinear,
                                            .mip = FrameMipLinear,
                                            .max_anisotropy = anisotropy},
                                           {.texture = FrameNone}}}};
  const frame_t frame = {
      .width = Side,
      .height = Side,
      .target_count = 1,
      .targets = &surface,
      .texture_count = 1,
      .textures = &texture,
      .command_count = 1,
      .commands = &draw,
      .vertex_count = 4,
      .vertices = vertices,
      .triangle_count = 2,
      .triangles = triangles,
  };
  const shade_sampling_t sampling = {
      .filter = ShadeParents, .anisotropic = anisotropic, .probes = probes};
  surface_t *targets, *depths;
  assert_true(render_surfaces_create(&frame, &targets, &depths));
  render_commands(&frame, 0, 1, targets, depths, sampling, NULL, NULL);
  render_surfaces_destroy(&frame, targets, depths);
}

TEST(test_counts) {
  for (uint32_t r = 1; r <= 16; r++) {
    shade_probes_t probes = {{0}};
    render(2.0 * r, 16, true, &probes);
    for (uint32_t i = 0; i <= 16; i++) {
      assert_int_equal(probes.by_ratio[i], i == r ? Side * Side : 0);
    }
  }
  shade_probes_t probes = {{0}};
  render(10, 4, true, &probes);
  assert_int_equal(probes.by_ratio[4], Side * Side);
  render(10, 4, false, &probes);
  assert_int_equal(probes.by_ratio[1], Side * Side);
}

int main(void) { return run_all_tests(NULL, NULL); }
