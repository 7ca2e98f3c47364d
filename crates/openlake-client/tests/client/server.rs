//! A scripted HTTP server: each request goes to a closure, which says what to answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use openlake_client::{Client, ClientConfig, Credentials};

#[derive(Clone, Debug, Default)]
pub struct Received {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Which of the server's connections it came on, from 0.
    pub connection: usize,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// Raw bytes to send, and whether the connection stays open after them.
pub struct Reply {
    pub bytes: Vec<u8>,
    pub keep: bool,
}

impl Reply {
    pub fn new(status: u16, headers: &str, body: &[u8]) -> Self {
        let length = body.len();
        let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n");
        Self { bytes: [head.as_bytes(), body].concat(), keep: true }
    }

    /// The connection ends without an answer.
    pub fn none() -> Self {
        Self { bytes: Vec::new(), keep: false }
    }

    pub fn error(status: u16, code: &str) -> Self {
        let body = format!("<Error><Code>{code}</Code><Message>as told</Message></Error>");
        Self::new(status, "x-amz-request-id: R1\r\n", body.as_bytes())
    }

    pub fn closing(mut self) -> Self {
        self.keep = false;
        self
    }
}

pub struct Server {
    pub endpoint: String,
    pub received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// `answer` gets the number of requests before this one, and the request.
    pub fn start(answer: impl Fn(usize, &Received) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (Arc::clone(&received), Arc::new(answer));
        std::thread::spawn(move || {
            for (connection, stream) in listener.incoming().flatten().enumerate() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                std::thread::spawn(move || serve(&stream, connection, &log, &*answer));
            }
        });
        Self { endpoint, received }
    }

    pub fn config(&self) -> ClientConfig {
        let credentials = Credentials {
            access_key: "access".to_owned(),
            secret_key: "secret".to_owned(),
            session_token: None,
        };
        let mut config = ClientConfig::new(&self.endpoint, credentials);
        config.backoff_base = std::time::Duration::from_millis(1);
        config
    }

    pub fn client(&self) -> Client {
        Client::new(self.config()).unwrap()
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

fn serve(
    stream: &TcpStream,
    connection: usize,
    log: &Mutex<Vec<Received>>,
    answer: &dyn Fn(usize, &Received) -> Reply,
) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader) {
        let request = Received { connection, ..request };
        let number = {
            let mut log = log.lock().unwrap();
            log.push(request.clone());
            log.len() - 1
        };
        let reply = answer(number, &request);
        let mut writer = stream;
        if writer.write_all(&reply.bytes).is_err() || !reply.keep {
            return;
        }
    }
}

fn read_request(reader: &mut BufReader<&TcpStream>) -> Option<Received> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ');
    let mut request = Received {
        method: words.next()?.to_owned(),
        target: words.next()?.to_owned(),
        ..Received::default()
    };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        let (name, value) = line.trim().split_once(": ")?;
        request.headers.push((name.to_owned(), value.to_owned()));
    }
    let length = request.header("content-length").map_or(0, |text| text.parse().unwrap());
    request.body.resize(length, 0);
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}
