// Part of bgtask, under the Apache License 2.0; see LICENSE.

//! The model plugin of README.md in Rust, without a crate and without a C compiler.

mod bgtask;

use bgtask::*;
use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

static RELEASES: AtomicUsize = AtomicUsize::new(0);

/// A struct with zeroes, of which the host reads or fills `size` bytes.
macro_rules! sized {
    ($type:ty) => {{
        let mut value: $type = unsafe { std::mem::zeroed() };
        value.size = std::mem::size_of::<$type>() as u32;
        value
    }};
}

/// The host, for safe calls.
#[derive(Clone, Copy)]
struct Launch(*const Host);

impl Launch {
    fn table(&self) -> &Host {
        unsafe { &*self.0 }
    }

    fn say(&self, task: Task, line: &str) {
        let line = CString::new(line).unwrap_or_default();
        (self.table().log)(self.0, task, LOG_INFO, line.as_ptr());
    }

    fn name(&self, vocabulary: u32, number: i64) -> String {
        text((self.table().name)(self.0, vocabulary, number))
    }

    fn complete(&self, task: Task, outcome: i32, message: &str) {
        let message = CString::new(message).unwrap_or_default();
        (self.table().complete)(self.0, task, outcome, message.as_ptr());
    }

    fn submit(&self, kind: u32) {
        let identifier = CString::new("com.example.model.waits").unwrap_or_default();
        let payload = b"again";
        let mut request = sized!(Request);
        let mut refusal = sized!(Refusal);
        request.kind = kind;
        request.flags = NEEDS_NETWORK;
        request.identifier = identifier.as_ptr();
        request.earliest_begin_ns = seconds_from_now(3600);
        request.payload = payload.as_ptr();
        request.payload_length = payload.len() as u64;
        let status = (self.table().submit)(self.0, &request, &mut refusal);
        let name = self.name(VOCABULARY_STATUS, i64::from(status));
        self.say(0, &format!("submit {} {}", name, refusal.submission));
    }
}

fn seconds_from_now(seconds: u64) -> i64 {
    let now = std::time::SystemTime::now();
    let time = now + std::time::Duration::from_secs(seconds);
    time.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64)
}

fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

fn bytes<'a>(pointer: *const u8, length: u64) -> &'a [u8] {
    if pointer.is_null() {
        return &[];
    }
    unsafe { std::slice::from_raw_parts(pointer, length as usize) }
}

extern "C" fn visit(_: Context, host: *const Host, request: *const Pending) -> i32 {
    let launch = Launch(host);
    let request = unsafe { &*request };
    let payload = String::from_utf8_lossy(bytes(request.payload, request.payload_length));
    let kind = launch.name(VOCABULARY_KIND, i64::from(request.kind));
    launch.say(0, &format!("pending {} {} {}", text(request.identifier), kind, payload));
    OK
}

extern "C" fn work(_: Context, host: *const Host, task: Task) {
    let launch = Launch(host);
    let table = launch.table();
    let mut info = sized!(TaskInfo);
    let mut about = sized!(LaunchInfo);
    if (table.launch_info)(host, &mut about) != OK || (table.task_info)(host, task, &mut info) != OK {
        return launch.complete(task, OUTCOME_FAILURE, "");
    }
    let payload = String::from_utf8_lossy(bytes(info.payload, info.payload_length));
    launch.say(task, &format!("work {} {} {}", text(about.plugin), info.submission, payload));
    let name = CString::new("model").unwrap_or_default();
    let mut assertion = 0;
    (table.begin_assertion)(host, name.as_ptr(), None, null_mut(), None, &mut assertion, null_mut());
    launch.submit(KIND_PROCESSING);
    launch.submit(99);
    (table.pending)(host, Some(visit), null_mut(), null_mut());
    let key = CString::new("colour").unwrap_or_default();
    let mut value = [0 as c_char; 16];
    let mut needed = 0;
    let status = (table.setting)(host, key.as_ptr(), value.as_mut_ptr(), value.len() as u64, &mut needed);
    let status = launch.name(VOCABULARY_STATUS, i64::from(status));
    launch.say(task, &format!("setting {} {} {}", status, text(value.as_ptr()), needed));
    (table.end_assertion)(host, assertion);
    launch.complete(task, OUTCOME_SUCCESS, "worked");
}

/// The plugin's own object behind the context of a callback.
struct Waiting(&'static str);

impl Drop for Waiting {
    fn drop(&mut self) {
        RELEASES.fetch_add(1, Ordering::SeqCst);
    }
}

extern "C" fn expired(context: Context, host: *const Host, task: Task, reason: u32) {
    let launch = Launch(host);
    let waiting = unsafe { &*context.cast::<Waiting>() };
    launch.say(task, &launch.name(VOCABULARY_EXPIRED, i64::from(reason)));
    launch.complete(task, OUTCOME_FAILURE, waiting.0);
}

extern "C" fn release(context: Context) {
    drop(unsafe { Box::from_raw(context.cast::<Waiting>()) });
}

extern "C" fn waits(_: Context, host: *const Host, task: Task) {
    let context = Box::into_raw(Box::new(Waiting("stopped")));
    let set = Launch(host).table().set_expiration_handler;
    set(host, task, Some(expired), context.cast(), Some(release));
}

extern "C" fn receive(_: Context, host: *const Host, event: Task) {
    let launch = Launch(host);
    let mut info = sized!(TaskInfo);
    if (launch.table().task_info)(host, event, &mut info) == OK {
        launch.say(event, &launch.name(VOCABULARY_EVENT, i64::from(info.event)));
    }
    launch.complete(event, OUTCOME_NO_DATA, "");
}

extern "C" fn stop(_: Context, host: *const Host) {
    Launch(host).say(0, &format!("stop, {} released", RELEASES.load(Ordering::SeqCst)));
}

#[no_mangle]
pub extern "C" fn bgtask_plugin_entry(host: *const Host, plugin: *mut Plugin) -> i32 {
    let plugin = unsafe { &mut *plugin };
    plugin.receive = Some(receive);
    plugin.stop = Some(stop);
    let handlers: [(&str, Handler); 2] = [("com.example.model.work", work), ("com.example.model.waits", waits)];
    for (identifier, handler) in handlers {
        let identifier = CString::new(identifier).unwrap_or_default();
        let register = Launch(host).table().register_handler;
        let status = register(host, identifier.as_ptr(), Some(handler), null_mut(), None, null_mut());
        if status != OK {
            return status;
        }
    }
    OK
}
