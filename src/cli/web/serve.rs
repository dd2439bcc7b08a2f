//! The `web serve` command: serves the web page until it is ended.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use crate::cli::Invocation;
use crate::cli::grammar::definition::{CommandDefinition, Opening, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::{Error, shown};
use crate::manager::{CertificateFiles, WebAccess};
use crate::rules::access::base_path::BasePath;
use crate::rules::access::web_address::WebAddressMistake;
use crate::web::{self, Encryption, WebOptions};

pub(super) const COMMAND: CommandDefinition = CommandDefinition::new(
    "serve",
    "Serve the web page until C-c; `symposium web` does the same",
    Remote::LOCAL,
    |args, context| run(&parsed(args)?, context),
)
.arguments::<Arguments>()
.opening(Opening::WithoutNotices);

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Address and port to listen on; other machines need --tls-cert or --behind-proxy
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7717")]
    listen: SocketAddr,
    /// Also accept requests for this host name; may be repeated
    #[arg(long, value_name = "HOST[:PORT]")]
    allow_host: Vec<String>,
    /// A reverse proxy with TLS forwards requests for the names of --allow-host
    #[arg(long)]
    behind_proxy: bool,
    /// Path below which the proxy shows the page, such as /symposium
    #[arg(long, value_name = "PATH", requires = "behind_proxy")]
    base_path: Option<BasePath>,
    /// Encrypt connections with this certificate and its chain, in PEM format
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with = "behind_proxy")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate, in PEM format
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Install a user service that serves the page with these options
    #[arg(long)]
    install: bool,
    /// Stop and remove that service
    #[arg(long, conflicts_with = "install")]
    uninstall: bool,
}

impl Arguments {
    /// Returns the command line of the service.
    fn of_service(&self) -> Vec<String> {
        let hosts = self.allow_host.iter().flat_map(|host| ["--allow-host".to_owned(), host.clone()]);
        let listen = ["--listen".to_owned(), self.listen.to_string()];
        let proxy = self.behind_proxy.then(|| "--behind-proxy".to_owned());
        let base_path = self.base_path.iter().flat_map(|path| ["--base-path".to_owned(), path.to_string()]);
        let certificate = self.certificate().into_iter().flat_map(|CertificateFiles { certificate, key }| {
            let word = |path: &Path| path.to_string_lossy().into_owned();
            ["--tls-cert".to_owned(), word(&certificate), "--tls-key".to_owned(), word(&key)]
        });
        listen.into_iter().chain(hosts).chain(proxy).chain(base_path).chain(certificate).collect()
    }

    /// Returns the files of the certificate. Their paths are absolute, because a service has another working directory.
    fn certificate(&self) -> Option<CertificateFiles> {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let (certificate, key) = self.tls_cert.as_ref().zip(self.tls_key.as_ref())?;
        Some(CertificateFiles { certificate: absolute(certificate), key: absolute(key) })
    }

    fn options(&self) -> WebOptions {
        let encryption = match (self.certificate(), self.behind_proxy) {
            (Some(files), _) => Encryption::Own(files),
            (None, true) => Encryption::ByProxy,
            (None, false) => Encryption::None,
        };
        WebOptions {
            listen: self.listen,
            allowed_names: self.allow_host.clone(),
            base_path: self.base_path.clone().unwrap_or_default(),
            encryption,
        }
    }
}

fn run(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    if args.uninstall {
        return uninstall(context);
    }
    let options = args.options();
    // Checked before the port is opened. The port 0 is replaced by a free one then.
    options.hosts(args.listen).map_err(|mistake| refused(args, &mistake))?;
    if args.install {
        if let Encryption::Own(files) = options.encryption {
            files.load()?;
        }
        return install(args, context);
    }
    web::run(&Arc::clone(&context.manager), &options, |url| {
        if context.ui.json {
            context.ui.json(&serde_json::json!({ "url": url }));
        } else {
            context.ui.say(&format!("serving on {url}; C-c ends it"));
            context.ui.say("`symposium web pair` in another terminal prints a link for a new device");
        }
    })
    .map(|()| 0)
}

fn install(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    let installed = WebAccess(&context.manager).install(args.of_service())?;
    if context.ui.json {
        context.ui.json(&installed);
        return Ok(0);
    }
    let (manager, path) = (installed.service.manager, installed.service.path.display());
    context.ui.say(&format!("installed for {manager}: {path}"));
    installed.remarks.iter().for_each(|remark| context.ui.say(remark));
    context.ui.say("`symposium web pair` prints a link for a new device");
    Ok(0)
}

fn uninstall(context: &Invocation) -> Result<u8, Error> {
    let removed = WebAccess(&context.manager).uninstall()?;
    if context.ui.json {
        context.ui.json(&removed);
    } else if removed.was_installed {
        context.ui.say(&format!("removed {}; the page is not served any more", removed.path.display()));
    } else {
        context.ui.say("no service was installed");
    }
    Ok(0)
}

fn refused(args: &Arguments, mistake: &WebAddressMistake) -> Error {
    match mistake {
        WebAddressMistake::NotLoopback => Error::usage(format!(
            "`{}` can be reached from other machines, and the connection would not be encrypted",
            args.listen
        ))
        .saw("no port was opened")
        .hint("listen on 127.0.0.1, and reach it with `ssh -L` or through a reverse proxy with TLS")
        .hint("with a certificate of your own, add `--tls-cert FILE --tls-key FILE --allow-host NAME`")
        .hint("if a proxy with TLS is in front of that address, add `--behind-proxy --allow-host NAME`"),
        WebAddressMistake::ProxyWithoutHost => {
            Error::usage("`--behind-proxy` needs the name under which browsers reach the proxy")
                .hint("add `--allow-host NAME`")
        }
        WebAddressMistake::CertificateWithoutHost => {
            Error::usage("an encrypted page for other machines needs the name in its certificate")
                .hint("add `--allow-host NAME`")
        }
        WebAddressMistake::InvalidHost(host) => Error::usage(format!("`{}` is not a host name", shown(host)))
            .hint("give a name with or without a port, such as `box.example` or `localhost:9000`"),
    }
}
