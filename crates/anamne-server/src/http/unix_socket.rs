//! A Unix socket that only its owner can use from the first moment on.

use std::fs::{DirBuilder, Metadata, Permissions};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

/// A listening socket; its file is removed at the end.
pub(super) struct Socket {
    pub(super) listener: UnixListener,
    path: PathBuf,
    /// Device and number of the file.
    identity: (u64, u64),
}

impl Socket {
    /// Listens at a path. A socket that no process listens at is replaced, everything else there is refused.
    pub(super) async fn bind(path: &Path) -> Result<Self> {
        check_free(path).await?;
        // The socket gets its permissions in a folder that others can't enter.
        let folder = path.with_file_name(format!(".a{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        DirBuilder::new().mode(0o700).create(&folder)?;
        let bound = bind_in(&folder, path);
        let _ = std::fs::remove_dir_all(&folder);
        bound
    }
}

fn bind_in(folder: &Path, path: &Path) -> Result<Socket> {
    let private = folder.join("s");
    let listener = UnixListener::bind(&private)?;
    std::fs::set_permissions(&private, Permissions::from_mode(0o600))?;
    let identity = identity(&std::fs::metadata(&private)?);
    std::fs::rename(&private, path)?;
    Ok(Socket {
        listener,
        path: path.to_owned(),
        identity,
    })
}

async fn check_free(path: &Path) -> Result<()> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(there) if !there.file_type().is_socket() => Err(Error::new(
            ErrorKind::AlreadyExists,
            "another kind of file is there",
        )),
        Ok(_) => match UnixStream::connect(path).await {
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => Ok(()),
            Err(error) => Err(error),
            Ok(_) => Err(Error::new(
                ErrorKind::AddrInUse,
                "another process listens there",
            )),
        },
    }
}

fn identity(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

impl Drop for Socket {
    fn drop(&mut self) {
        let there = std::fs::symlink_metadata(&self.path);
        if there.is_ok_and(|there| identity(&there) == self.identity) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
