// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The model plugin of README.md in Go.
package main

/*
#include <bgtask.h>
#include <stdlib.h>

int32_t model_visit(void *context, const bgt_host *host, const bgt_pending *request);
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"sync/atomic"
	"unsafe"
)

var releases int32

func say(host *C.bgt_host, task C.bgt_task, format string, values ...any) {
	line := C.CString(fmt.Sprintf(format, values...))
	defer C.free(unsafe.Pointer(line))
	C.bgt_log_task(host, task, C.BGT_LOG_INFO, line)
}

func name(host *C.bgt_host, vocabulary C.uint32_t, number int64) string {
	return C.GoString(C.bgt_name(host, vocabulary, C.int64_t(number)))
}

func text(bytes *C.uint8_t, length C.uint64_t) string {
	return C.GoStringN((*C.char)(unsafe.Pointer(bytes)), C.int(length))
}

func complete(host *C.bgt_host, task C.bgt_task, outcome C.int32_t, message string) {
	line := C.CString(message)
	defer C.free(unsafe.Pointer(line))
	C.bgt_complete_with_message(host, task, outcome, line)
}

func submit(host *C.bgt_host, kind C.uint32_t) {
	identifier, payload := C.CString("com.example.model.waits"), C.CBytes([]byte("again"))
	defer C.free(unsafe.Pointer(identifier))
	defer C.free(payload)
	// Zeroed memory of Go that contains pointers to memory of C.
	request := C.bgt_processing_request(identifier, C.BGT_NEEDS_NETWORK)
	request.kind = kind
	request.earliest_begin_ns = C.bgt_seconds_from_now(3600)
	request.payload = (*C.uint8_t)(payload)
	request.payload_length = 5
	var refusal C.bgt_refusal
	status := C.bgt_submit(host, &request, &refusal)
	say(host, 0, "submit %s %d", name(host, C.BGT_VOCABULARY_STATUS, int64(status)), uint64(refusal.submission))
}

//export modelVisit
func modelVisit(host *C.bgt_host, request *C.bgt_pending) C.int32_t {
	say(host, 0, "pending %s %s %s", C.GoString(request.identifier),
		name(host, C.BGT_VOCABULARY_KIND, int64(request.kind)), text(request.payload, request.payload_length))
	return C.BGT_OK
}

//export modelWork
func modelWork(host *C.bgt_host, task C.bgt_task) {
	var launch C.bgt_launch_info
	var info C.bgt_task_info
	if C.bgt_get_launch_info(host, &launch) != C.BGT_OK || C.bgt_get_task_info(host, task, &info) != C.BGT_OK {
		complete(host, task, C.BGT_OUTCOME_FAILURE, "")
		return
	}
	say(host, task, "work %s %d %s", C.GoString(launch.plugin), uint64(info.submission),
		text(info.payload, info.payload_length))
	key, colour := C.CString("model"), C.CString("colour")
	defer C.free(unsafe.Pointer(key))
	defer C.free(unsafe.Pointer(colour))
	var assertion C.bgt_assertion
	C.bgt_begin_assertion(host, key, nil, nil, nil, &assertion)
	submit(host, C.BGT_KIND_PROCESSING)
	submit(host, 99)
	C.bgt_visit_pending(host, C.bgt_pending_visitor(C.model_visit), nil)
	var value [16]C.char
	var needed C.uint64_t
	status := C.bgt_setting(host, colour, &value[0], 16, &needed)
	say(host, task, "setting %s %s %d", name(host, C.BGT_VOCABULARY_STATUS, int64(status)), C.GoString(&value[0]),
		uint64(needed))
	C.bgt_end_assertion(host, assertion)
	complete(host, task, C.BGT_OUTCOME_SUCCESS, "worked")
}

// A handle of a Go value is the context: C must not keep pointers to memory of Go.
//
//export modelWaiting
func modelWaiting() C.uintptr_t {
	return C.uintptr_t(cgo.NewHandle("stopped"))
}

//export modelExpired
func modelExpired(context C.uintptr_t, host *C.bgt_host, task C.bgt_task, reason C.uint32_t) {
	say(host, task, "%s", name(host, C.BGT_VOCABULARY_EXPIRED, int64(reason)))
	message, _ := cgo.Handle(context).Value().(string)
	complete(host, task, C.BGT_OUTCOME_FAILURE, message)
}

//export modelRelease
func modelRelease(context C.uintptr_t) {
	cgo.Handle(context).Delete()
	atomic.AddInt32(&releases, 1)
}

//export modelReceive
func modelReceive(host *C.bgt_host, event C.bgt_task) {
	var info C.bgt_task_info
	if C.bgt_get_task_info(host, event, &info) == C.BGT_OK {
		say(host, event, "%s", name(host, C.BGT_VOCABULARY_EVENT, int64(info.event)))
	}
	complete(host, event, C.BGT_OUTCOME_NO_DATA, "")
}

//export modelStop
func modelStop(host *C.bgt_host) {
	say(host, 0, "stop, %d released", atomic.LoadInt32(&releases))
}

func main() {}
