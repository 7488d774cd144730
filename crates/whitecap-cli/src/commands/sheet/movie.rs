//! Movies, made by an `ffmpeg` that is found on the PATH.
//!
//! # Guarantees
//! * The movie is written whole or not at all: `ffmpeg` writes to a temporary file in the same folder.
//! * `ffmpeg` ends with the command: it is stopped when the command is cancelled, even while it does not
//!   read, or when a frame cannot be made.
//! * Only an `ffmpeg` in a folder that the PATH names in full is run, never one of the current folder.
//! * What plays everywhere: H.264 in MP4 or VP9 in WebM, 4:2:0, sides of even length, BT.709.
//!
//! # Non-guarantees
//! A command that is killed, or that gets a second Ctrl-C before it could act on the first, cannot stop
//! `ffmpeg`: that then finds the end of its input, encodes what it has and ends by itself.
//! Another `ffmpeg` makes other bytes. One without the encoder says so, and the message passes it on.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use whitecap_io::image::{Image, PngDepth, png_bytes};

use super::canvas::BACKGROUND;
use crate::failure::Failure;
use crate::session::Session;

/// How often to look whether the command was cancelled or `ffmpeg` has ended.
const PAUSE: Duration = Duration::from_millis(20);
/// How much of what `ffmpeg` says is kept.
const MOST_SAID: usize = 1 << 16;

/// A kind of movie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movie {
    Mp4,
    Webm,
}

impl Movie {
    /// The kind that a file name asks for.
    pub fn of(path: &Path) -> Option<Self> {
        let has = |extension| whitecap_io::has_extension(path, &[extension]);
        has("mp4").then_some(Movie::Mp4).or(has("webm").then_some(Movie::Webm))
    }

    /// What `ffmpeg` is to make of pictures on its standard input.
    fn arguments(self, rate: f32) -> Vec<String> {
        let rate = rate.to_string();
        let input = ["-hide_banner", "-loglevel", "error", "-y", "-f", "image2pipe", "-c:v", "png"];
        let pace = ["-framerate", &rate, "-i", "-", "-an"];
        // 4:2:0 halves the resolution of colours, so both sides must be even.
        let gray = format!("{:02x}", (255.0 * BACKGROUND).round() as u8).repeat(3);
        let filter = format!(
            "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=0x{gray},scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"
        );
        let colours = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"];
        let codec: &[&str] = match self {
            Movie::Mp4 => {
                &["-c:v", "libx264", "-crf", "18", "-movflags", "+faststart", "-f", "mp4"]
            }
            Movie::Webm => {
                &["-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", "-f", "webm"]
            }
        };
        let all = [&input[..], &pace, &["-vf", &filter], &colours, codec].concat();
        all.into_iter().map(String::from).collect()
    }
}

/// The `ffmpeg` on the PATH.
pub fn find_ffmpeg(output: &Path) -> Result<PathBuf, Failure> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("ffmpeg{}", std::env::consts::EXE_SUFFIX);
    // An empty entry is the current folder, where anything may lie.
    let folders = std::env::split_paths(&folders).filter(|folder| folder.is_absolute());
    let mut places = folders.map(|folder| folder.join(&name));
    places.find(|place| place.is_file()).ok_or_else(|| {
        Failure::Usage(format!(
            "{}: this needs ffmpeg, and none is on the PATH; install it, or write {}, which needs nothing else",
            output.display(),
            output.with_extension("apng").display()
        ))
    })
}

/// Writes `count` frames, made in order by `frame`, at `rate` frames per second.
pub fn write(
    output: &Path,
    movie: Movie,
    count: usize,
    rate: f32,
    session: &Session,
    frame: impl FnMut(usize) -> Result<Image, Failure>,
) -> Result<(), Failure> {
    let ffmpeg = find_ffmpeg(output)?;
    whitecap_io::atomic::write_by_name(output, |temporary| {
        let encoder = Encoder::start(&ffmpeg, movie, rate, temporary, output)?;
        encoder.run(count, session, frame)
    })
}

/// A running `ffmpeg`, which does not outlive this.
struct Encoder<'a> {
    child: Mutex<Child>,
    output: &'a Path,
}

impl<'a> Encoder<'a> {
    fn start(
        ffmpeg: &Path,
        movie: Movie,
        rate: f32,
        temporary: &Path,
        output: &'a Path,
    ) -> Result<Self, Failure> {
        let mut command = Command::new(ffmpeg);
        command.args(movie.arguments(rate)).arg(temporary);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // Ctrl-C is for this command, which then stops `ffmpeg`.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().map_err(|error| {
            Failure::about(output, format!("{} cannot be started: {error}", ffmpeg.display()))
        })?;
        Ok(Self { child: Mutex::new(child), output })
    }

    fn run(
        self,
        count: usize,
        session: &Session,
        mut frame: impl FnMut(usize) -> Result<Image, Failure>,
    ) -> Result<(), Failure> {
        let (stdin, stderr) = {
            let mut child = self.child();
            (child.stdin.take(), child.stderr.take())
        };
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // Writing to a pipe that nobody reads blocks, so another thread looks for Ctrl-C.
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) && !session.cancel.is_cancelled() {
                    std::thread::sleep(PAUSE);
                }
                if !ended.load(Ordering::Relaxed) {
                    self.stop();
                }
            });
            let said = scope.spawn(|| stderr.map(read_some).unwrap_or_default());
            let fed = self.feed(stdin, count, &mut frame);
            if fed.as_ref().is_err_and(|stop| !matches!(stop, Stop::Closed)) {
                self.stop();
            }
            let status = self.wait();
            ended.store(true, Ordering::Relaxed);
            let said = said.join().unwrap_or_default();
            match (fed, status) {
                _ if session.cancel.is_cancelled() => {
                    Err(Failure::Cancelled(String::from("Cancelled: nothing was written.")))
                }
                (Err(Stop::Frame(failure)), _) => Err(failure),
                (Ok(()), Ok(status)) if status.success() => Ok(()),
                (_, Ok(status)) => Err(self.failure(status, &said)),
                (_, Err(error)) => Err(Failure::about(self.output, error)),
            }
        })
    }

    fn child(&self) -> std::sync::MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        // It may have ended by itself.
        let _ = self.child().kill();
    }

    /// Gives `ffmpeg` every frame, then the end of its input.
    fn feed(
        &self,
        stdin: Option<ChildStdin>,
        count: usize,
        frame: &mut impl FnMut(usize) -> Result<Image, Failure>,
    ) -> Result<(), Stop> {
        let mut stdin = stdin.ok_or(Stop::Closed)?;
        for index in 0..count {
            let image = frame(index).map_err(Stop::Frame)?;
            let bytes = png_bytes(&image, PngDepth::Eight, self.output);
            let bytes = bytes.map_err(|error| Stop::Frame(error.into()))?;
            stdin.write_all(&bytes).map_err(|error| match error.kind() {
                // It has ended, and says why.
                ErrorKind::BrokenPipe => Stop::Closed,
                _ => Stop::Frame(Failure::about(self.output, format!("ffmpeg: {error}"))),
            })?;
        }
        Ok(())
    }

    /// Waits without holding the lock, so that it can be stopped meanwhile.
    fn wait(&self) -> std::io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.child().try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn failure(&self, status: ExitStatus, said: &str) -> Failure {
        let lines: Vec<&str> =
            said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        // The first lines name the cause, the last ones only repeat that it failed.
        let cause = match lines.is_empty() {
            true => format!("it ended with {status}"),
            false => lines[..lines.len().min(3)].join("; "),
        };
        Failure::about(self.output, format!("ffmpeg could not make this movie: {cause}"))
    }
}

impl Drop for Encoder<'_> {
    fn drop(&mut self) {
        self.stop();
        // So that nothing of it is left behind.
        let _ = self.child().wait();
    }
}

/// Why no more frames are given.
enum Stop {
    /// `ffmpeg` reads no more.
    Closed,
    /// A frame could not be made.
    Frame(Failure),
}

/// What a stream says, to its end, without characters that control a terminal; a long story is cut.
fn read_some(mut stream: impl Read) -> String {
    let (mut kept, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(count) = stream.read(&mut buffer) {
        if count == 0 {
            break;
        }
        let room = MOST_SAID - kept.len();
        kept.extend_from_slice(&buffer[..count.min(room)]);
    }
    let text = String::from_utf8_lossy(&kept);
    text.chars().filter(|c| *c == '\n' || !c.is_control()).collect()
}
