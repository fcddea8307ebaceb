"""Films: GIF by Pillow, MP4 by ffmpeg where it is."""
from io import BytesIO

import numpy as np
from matplotlib import animation, colormaps
from PIL import Image

def has_ffmpeg():
    return animation.writers.is_available("ffmpeg")


def palette_of(cmap):
    """A palette of 256 colours for all frames: 217 of the map of colours, its middle among them, and greys."""
    colours = colormaps[cmap](np.linspace(0, 1, 217))[:, :3]
    greys = np.repeat(np.linspace(0, 1, 39)[:, None], 3, axis=1)
    image = Image.new("P", (1, 1))
    image.putpalette(np.rint(255 * np.concatenate([colours, greys])).astype(np.uint8).tobytes())
    return image


def write_gif(path, figure, frames, fps, cmap):
    """Draw every frame with the same palette, so that a colour means the same in all of them."""
    palette, images = palette_of(cmap), []
    for _ in frames:
        room = BytesIO()
        figure.savefig(room, format="png", dpi="figure")
        images.append(Image.open(room).convert("RGB").quantize(palette=palette, dither=Image.Dither.NONE))
    images[0].save(path, save_all=True, append_images=images[1:], duration=round(1000 / fps), loop=0, optimize=False)


def write_mp4(path, figure, frames, fps, _):
    writer = animation.FFMpegWriter(fps=fps)
    with writer.saving(figure, str(path)):
        for _ in frames:
            writer.grab_frame()
